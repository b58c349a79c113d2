// How each PSP differs from the norm: one walk from token to refund, as that PSP requires it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILE_NAMES, type ProfileName } from '../../../packages/psp/src/profiles.ts';
import { createRateLimit } from '../../../packages/psp/src/write-rate.ts';
import { testClock } from '../../harness/clock.ts';
import { type Caller, cobBody, cobvBody, KEY, newTxid, startCaller } from './caller.ts';

const BASIC = { authorization: `Basic ${Buffer.from('trilho:trilho-secret').toString('base64')}` };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const GRANT = 'grant_type=client_credentials';
const SCOPE = '&scope=cob.read+cob.write+cobv.read+cobv.write+pix.read+pix.write';
const ID = '&client_id=trilho';
const IN_BODY = `${ID}&client_secret=trilho-secret`;
const ID_AND_SECRET = { text: GRANT + IN_BODY, headers: FORM };
const WITH_BASIC = { text: GRANT, headers: { ...FORM, ...BASIC } };

type Wants = {
  readonly token: { readonly text: string; readonly headers: Record<string, string>; readonly query?: string };
  readonly headers?: Record<string, string>;
  readonly query?: string;
  readonly created?: number;
  readonly refunded?: number;
  readonly code?: string;
  /** The path of a cob, and of a PATCH, when they are elsewhere. */
  readonly cob?: (path: string) => string;
  readonly rest?: (path: string) => string;
  readonly patch?: (url: string) => string;
};

const WANTS: Readonly<Record<ProfileName, Wants>> = {
  bacen: { token: WITH_BASIC },
  efi: {
    token: {
      text: JSON.stringify({ grant_type: 'client_credentials' }),
      headers: { ...BASIC, 'content-type': 'application/json' },
    },
  },
  itau: { token: ID_AND_SECRET, headers: { 'x-correlationID': '1' } },
  bb: {
    token: { text: GRANT + SCOPE, headers: { ...FORM, ...BASIC } },
    query: 'gw-dev-app-key=k',
    created: 200,
    refunded: 200,
    code: 'textoImagemQRcode',
  },
  santander: {
    token: { text: IN_BODY.slice(1), headers: FORM, query: `?${GRANT}` },
    patch: url => url.replace('/api/v1', '/api/v2'),
  },
  bradesco: { token: WITH_BASIC, created: 200, refunded: 200 },
  sicoob: {
    token: { text: GRANT + ID + SCOPE, headers: FORM },
    headers: { client_id: 'trilho' },
    refunded: 200,
    code: 'brcode',
  },
  sicredi: {
    token: { text: `${GRANT}${SCOPE}+lotecobv.read`, headers: { ...FORM, ...BASIC } },
    cob: path => `/v3${path}`,
    rest: path => `/v2${path}`,
  },
  inter: { token: { ...ID_AND_SECRET, text: GRANT + IN_BODY + SCOPE }, headers: { 'x-conta-corrente': '1' } },
  banrisul: { token: { ...ID_AND_SECRET, text: GRANT + IN_BODY + SCOPE } },
  c6: { token: WITH_BASIC, created: 200 },
};

async function tokenOf({ raw, psp }: Caller, { token }: Wants): Promise<string> {
  const { text, headers, query = '' } = token;
  const { status, json } = await raw('POST', psp.tokenUrl + query, { text, headers });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(Number(json.expires_in), psp.profile === 'itau' ? 300 : 3600);
  return json.access_token;
}

for (const profile of PROFILE_NAMES) {
  test(`${profile}: from the token to the refund`, async t => {
    const caller = await startCaller(t, { profile, clock: testClock('2030-12-02T15:00:00Z') });
    const { raw, psp } = caller;
    const wants = WANTS[profile];
    const { created = 201, refunded = 201, code = 'pixCopiaECola', query } = wants;
    const headers = { authorization: `Bearer ${await tokenOf(caller, wants)}`, ...wants.headers };
    const end = query === undefined ? '' : `?${query}`;
    const rest = wants.rest ?? (path => path);
    const cob = psp.url + (wants.cob ?? rest)(`/cob/${newTxid()}`);
    const charge = await raw('PUT', cob + end, { body: cobBody(), headers });
    assert.equal(charge.status, created);
    assert.ok(charge.json[code], `${code} is there`);
    const due = await raw('PUT', psp.url + rest(`/cobv/${newTxid()}`) + end, { body: cobvBody(), headers });
    assert.equal(due.status, created);
    const patched = await raw('PATCH', (wants.patch ?? (url => url))(cob) + end, {
      body: { solicitacaoPagador: 'x' },
      headers,
    });
    assert.equal(patched.status, 200);
    const { endToEndId } = await psp.pay({ emv: charge.json[code] });
    assert.equal((await raw('GET', psp.url + rest(`/pix/${endToEndId}`) + end, { headers })).status, 200);
    const refund = psp.url + rest(`/pix/${endToEndId}/devolucao/d1`) + end;
    assert.equal((await raw('PUT', refund, { body: { valor: '1.00' }, headers })).status, refunded);
    // Without what this PSP requires beside the token.
    if (wants.headers || query) {
      const { authorization } = headers;
      assert.equal((await raw('GET', cob, { headers: { authorization } })).status, 403);
    }
  });
}

async function callerOf(t: Parameters<typeof startCaller>[0], profile: ProfileName) {
  const caller = await startCaller(t, { profile, clock: testClock('2030-12-02T15:00:00Z') });
  const wants = WANTS[profile];
  const headers = { authorization: `Bearer ${await tokenOf(caller, wants)}`, ...wants.headers };
  const end = wants.query === undefined ? '' : `&${wants.query}`;
  return (method: string, path: string, body?: unknown) =>
    caller.raw(method, `${caller.psp.url}${path}${path.includes('?') ? end : end.replace('&', '?')}`, {
      headers,
      ...(body !== undefined && { body }),
    });
}

test('Efí: a repeated PUT is a 409, and errors have a name and a message', async t => {
  const call = await callerOf(t, 'efi');
  const path = `/cob/${newTxid()}`;
  await call('PUT', path, cobBody());
  const again = await call('PUT', path, cobBody());
  assert.deepEqual([again.status, again.json.nome], [409, 'txid_duplicado']);
  const wrong = await call('PUT', `/cob/${newTxid()}`, cobBody({ valor: { original: '1' } }));
  assert.deepEqual([wrong.status, wrong.json.nome, wrong.json.erros.length], [400, 'json_invalido', 1]);
  assert.equal((await call('GET', `/cob/${newTxid()}`)).json.nome, 'cobranca_nao_encontrada');
});

test('Banco do Brasil: no list of charges, times in UTC, errors in a list', async t => {
  const call = await callerOf(t, 'bb');
  assert.equal((await call('GET', '/cob?inicio=2030-12-01T00:00:00Z&fim=2030-12-02T00:00:00Z')).status, 405);
  assert.equal((await call('GET', '/pix?inicio=2030-12-01T00:00:00Z&fim=2030-12-02T00:00:00Z')).status, 200);
  const local = '/pix?inicio=2030-12-01T00:00:00-03:00&fim=2030-12-02T00:00:00-03:00';
  const refused = await call('GET', local);
  assert.equal(refused.status, 400);
  assert.ok(refused.json.erros[0].codigo && refused.json.erros[0].mensagem);
});

test('Santander: no POST /cob, times without milliseconds', async t => {
  const call = await callerOf(t, 'santander');
  assert.equal((await call('POST', '/cob', cobBody())).status, 405);
  assert.equal((await call('GET', '/pix?inicio=2030-12-01T00:00:00.000Z&fim=2030-12-02T00:00:00.000Z')).status, 400);
  assert.equal((await call('GET', '/pix?inicio=2030-12-01T00:00:00Z&fim=2030-12-02T00:00:00Z')).status, 200);
});

test('Sicoob: a location has its code', async t => {
  const caller = await startCaller(t, { profile: 'sicoob' });
  const { json } = await caller.raw('POST', caller.psp.tokenUrl, {
    text: `${GRANT}${ID}&scope=payloadlocation.write`,
    headers: FORM,
  });
  const headers = { authorization: `Bearer ${json.access_token}`, client_id: 'trilho' };
  const location = await caller.raw('POST', `${caller.psp.url}/loc`, { body: { tipoCob: 'cob' }, headers });
  assert.match(location.json.brcode, /^0002/);
  await assert.rejects(caller.psp.pay({ emv: location.json.brcode }), { code: 'not_found' });
});

test('Sicredi: scopes that the client does not have are omitted silently', async t => {
  const caller = await startCaller(t, {
    profile: 'sicredi',
    clients: [{ clientId: 'trilho', clientSecret: 'trilho-secret', keys: [KEY], scopes: ['cob.read'] }],
  });
  const text = `${GRANT}&scope=cob.read+cob.write`;
  const { json } = await caller.raw('POST', caller.psp.tokenUrl, { text, headers: { ...FORM, ...BASIC } });
  assert.equal(json.scope, 'cob.read');
});

test('creating calls above the limit of a second are refused until the next', () => {
  let nowMs = 0;
  const limit = createRateLimit(2, () => nowMs);
  assert.deepEqual([limit.take(), limit.take(), limit.take()], [true, true, false]);
  nowMs = 1000;
  assert.equal(limit.take(), true);
});
