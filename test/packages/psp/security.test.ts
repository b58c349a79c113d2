// Certificates, tokens and scopes of the simulated PSP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../harness/clock.ts';
import { type Caller, cobBody, KEY, newTxid, startCaller } from './caller.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

function askToken({ raw, psp }: Caller, text = 'grant_type=client_credentials', headers = {}) {
  return raw('POST', psp.tokenUrl, { text, headers: { ...FORM, ...basic('trilho', 'trilho-secret'), ...headers } });
}

test('a certificate is required: no certificate, a foreign and an expired one are refused', async t => {
  const { psp, raw, token } = await startCaller(t);
  const expired = await psp.issueCertificate({ clientId: 'trilho', notAfter: new Date('2021-01-01') });
  const foreign = await psp.issueCertificate({ clientId: 'trilho', foreign: true });
  const authorization = `Bearer ${await token()}`;
  for (const certificate of [null, expired, foreign]) {
    for (const [method, url] of [
      ['POST', psp.tokenUrl],
      ['GET', `${psp.url}/webhook`],
    ] as const) {
      const answer = await raw(method, url, { certificate, headers: { ...FORM, authorization } });
      assert.equal(answer.status, 400);
      assert.match(answer.text, /No required SSL certificate/);
    }
  }
});

test('a renewed certificate and the PKCS#12 file work like the first', async t => {
  const { psp, raw, token } = await startCaller(t);
  const headers = { authorization: `Bearer ${await token()}` };
  const renewed = await psp.issueCertificate({ clientId: 'trilho' });
  assert.equal((await raw('GET', `${psp.url}/webhook`, { certificate: renewed, headers })).status, 200);
  assert.equal((await raw('GET', `${psp.url}/webhook`, { p12: psp.client.certificate, headers })).status, 200);
});

test("another client's certificate works neither for a token nor with one, and its charges are not visible", async t => {
  const caller = await startCaller(t);
  const { psp, raw, token, call } = caller;
  const other = await psp.addClient({ clientId: 'other', clientSecret: 's', keys: ['other@example.com'] });
  const mixed = await raw('POST', psp.tokenUrl, {
    certificate: other.certificate,
    text: 'grant_type=client_credentials',
    headers: { ...FORM, ...basic('trilho', 'trilho-secret') },
  });
  assert.deepEqual([mixed.status, mixed.json.error], [401, 'invalid_client']);
  const headers = { authorization: `Bearer ${await token()}` };
  const borrowed = await raw('GET', `${psp.url}/webhook`, { certificate: other.certificate, headers });
  assert.equal(borrowed.status, 403);
  const txid = newTxid();
  await call('PUT', `/cob/${txid}`, cobBody());
  const pix = await psp.pay({ txid });
  const granted = await raw('POST', psp.tokenUrl, {
    certificate: other.certificate,
    text: 'grant_type=client_credentials',
    headers: { ...FORM, ...basic('other', 's') },
  });
  const its = { authorization: `Bearer ${granted.json.access_token}` };
  for (const path of [`/cob/${txid}`, `/pix/${pix.endToEndId}`, `/webhook/${encodeURIComponent(KEY)}`]) {
    const seen = await raw('GET', psp.url + path, { certificate: other.certificate, headers: its });
    assert.equal(seen.status, 404, path);
  }
});

test('a token requires the correct id, secret and grant', async t => {
  const caller = await startCaller(t);
  assert.equal((await askToken(caller)).status, 200);
  for (const [text, headers, status] of [
    ['grant_type=password', {}, 400],
    ['grant_type=client_credentials', basic('trilho', 'wrong'), 401],
    ['grant_type=client_credentials', basic('nobody', 'trilho-secret'), 401],
    ['grant_type=client_credentials&scope=cob.sing', {}, 400],
    ['{"grant_type":"client_credentials"}', { 'content-type': 'application/json' }, 400],
  ] as const) {
    assert.equal((await askToken(caller, text, headers)).status, status, text);
  }
});

test('a token expires by the clock, can be revoked, and carries the scopes that were asked for', async t => {
  const clock = testClock('2030-12-02T15:00:00Z');
  const caller = await startCaller(t, { clock, tokenSeconds: 300 });
  const { raw, psp, token } = caller;
  const status = async (bearer: string) =>
    (await raw('GET', `${psp.url}/webhook`, { headers: { authorization: `Bearer ${bearer}` } })).status;
  const first = await token();
  clock.advanceMs(299_999);
  assert.equal(await status(first), 200);
  clock.advanceMs(1);
  assert.equal(await status(first), 401);
  const second = await token();
  psp.revokeTokens();
  assert.equal(await status(second), 401);
  const narrow = (await askToken(caller, 'grant_type=client_credentials&scope=cob.write%20cob.read')).json;
  assert.deepEqual([narrow.scope, narrow.expires_in], ['cob.write cob.read', 300]);
  const denied = await raw('GET', `${psp.url}/webhook`, {
    headers: { authorization: `Bearer ${narrow.access_token}` },
  });
  assert.deepEqual([denied.status, denied.json.type], [403, 'https://pix.bcb.gov.br/api/v2/error/AcessoNegado']);
  assert.equal((await raw('GET', `${psp.url}/webhook`)).status, 401);
});

test('a client without a scope does not get it', async t => {
  const caller = await startCaller(t, {
    clients: [{ clientId: 'trilho', clientSecret: 'trilho-secret', keys: [KEY], scopes: ['cob.read'] }],
  });
  assert.equal((await askToken(caller)).json.scope, 'cob.read');
  const more = await askToken(caller, 'grant_type=client_credentials&scope=cob.read%20cob.write');
  assert.deepEqual([more.status, more.json.error], [400, 'invalid_scope']);
});

test('a body that is not JSON or too large, and an unknown path, are refused', async t => {
  const { raw, psp, token } = await startCaller(t);
  const headers = { authorization: `Bearer ${await token()}`, 'content-type': 'application/json' };
  const url = `${psp.url}/cob/${newTxid()}`;
  assert.equal((await raw('PUT', url, { headers, text: '{' })).status, 400);
  assert.equal(
    (await raw('PUT', url, { headers: { ...headers, 'content-type': 'text/plain' }, text: '{}' })).status,
    400,
  );
  assert.equal((await raw('PUT', url, { headers, text: ' '.repeat(300_000) })).status, 413);
  assert.equal((await raw('GET', `${psp.url}/nowhere`, { headers })).status, 404);
  assert.equal((await raw('DELETE', `${psp.url}/cob/${newTxid()}`, { headers })).status, 405);
});
