// Signatures of webhooks: compared with the package of Standard Webhooks, both ways.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { signWebhook, TrilhoError, verifyWebhook } from '@trilho/client';
import { Webhook } from 'standardwebhooks';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;
const [secret, other] = [newSecret(), newSecret()];
const ID = '019a8b5e-3c71-7a30-8c12-7d0e6f1a2b3c';
const body = JSON.stringify({ type: 'charge.paid', timestamp: '2026-11-16T06:33:21.040Z', data: { note: 'pão €' } });

/** The code with which it is refused; undefined when it is not. */
async function refusal(...given: Parameters<typeof verifyWebhook>): Promise<string | undefined> {
  try {
    await verifyWebhook(...given);
  } catch (error) {
    assert.ok(error instanceof TrilhoError);
    for (const each of [given[2]].flat()) assert.ok(!error.message.includes(each), 'no secret in the message');
    return error.code;
  }
  return undefined;
}

test('what standardwebhooks signs is verified, and what we sign it verifies', async () => {
  const at = new Date();
  const theirs = {
    'Webhook-Id': ID,
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
    'Webhook-Signature': new Webhook(secret).sign(ID, at, body),
  };
  assert.deepEqual(await verifyWebhook(body, theirs, secret), JSON.parse(body));
  assert.deepEqual(await verifyWebhook(Buffer.from(body), new Headers(theirs), secret), JSON.parse(body));
  const ours = await signWebhook(body, secret, { id: ID });
  assert.deepEqual(new Webhook(secret).verify(body, ours), JSON.parse(body));
  assert.equal((await signWebhook(body, secret, { id: ID, at }))['webhook-signature'], theirs['Webhook-Signature']);
});

test('another body, id, time or secret is refused', async () => {
  const headers = await signWebhook(body, secret, { id: ID });
  const later = String(Number(headers['webhook-timestamp']) + 1);
  assert.equal(await refusal(body, headers, secret), undefined);
  assert.equal(await refusal(`${body} `, headers, secret), 'webhook_signature');
  assert.equal(await refusal(body, { ...headers, 'webhook-id': 'another' }, secret), 'webhook_signature');
  assert.equal(await refusal(body, { ...headers, 'webhook-timestamp': later }, secret), 'webhook_signature');
  assert.equal(await refusal(body, headers, other), 'webhook_signature');
  assert.equal(await refusal(body, headers, []), 'webhook_signature');
  const cut = headers['webhook-signature'].slice(0, -8);
  for (const signature of ['v1,', 'v1', cut, 'v1,*', headers['webhook-signature'].replace('v1', 'v1a')]) {
    assert.equal(await refusal(body, { ...headers, 'webhook-signature': signature }, secret), 'webhook_signature');
  }
  for (const name of Object.keys(headers)) {
    assert.equal(await refusal(body, { ...headers, [name]: undefined }, secret), 'webhook_header_missing');
  }
  assert.equal(await refusal('no JSON', await signWebhook('no JSON', secret, { id: ID }), secret), 'webhook_body');
});

test('while secrets rotate, one of several signatures and one of several secrets are enough', async () => {
  const both = await signWebhook(body, [other, secret], { id: ID });
  assert.equal(await refusal(body, both, secret), undefined);
  assert.equal(await refusal(body, await signWebhook(body, secret, { id: ID }), [other, secret]), undefined);
  const foreign = `v1a,abc v2,${'A'.repeat(44)} ${both['webhook-signature']}`;
  assert.equal(await refusal(body, { ...both, 'webhook-signature': foreign }, secret), undefined);
});

test('a sending counts for five minutes, by the clock that is given', async () => {
  const at = new Date('2026-11-16T06:33:21Z');
  const headers = await signWebhook(body, secret, { id: ID, at });
  const after = (ms: number) => ({ now: () => new Date(at.getTime() + ms) });
  const [fine, late] = [5 * 60_000, 5 * 60_000 + 1];
  for (const ms of [0, fine, -fine]) assert.equal(await refusal(body, headers, secret, after(ms)), undefined);
  for (const ms of [late, -late]) assert.equal(await refusal(body, headers, secret, after(ms)), 'webhook_timestamp');
  assert.equal(await refusal(body, headers, secret, { ...after(late), toleranceMs: late }), undefined);
  for (const text of ['', 'NaN', '-1', '1e9', '17948108010000000']) {
    const code = text === '' ? 'webhook_header_missing' : 'webhook_timestamp';
    assert.equal(await refusal(body, { ...headers, 'webhook-timestamp': text }, secret, after(0)), code, text);
  }
});

test('a malformed secret is refused without being quoted', async () => {
  const headers = await signWebhook(body, secret, { id: ID });
  for (const bad of ['whsec_*secret*', 'whsec_', '']) {
    await assert.rejects(verifyWebhook(body, headers, bad), {
      name: 'TypeError',
      message: 'a secret is whsec_ and base64',
    });
  }
});
