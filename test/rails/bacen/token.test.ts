// Tokens: one for all calls until shortly before it expires, a new one when the PSP revokes it, and no repeated requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Profile } from '../../../src/rails/bacen/profile.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { testClock } from '../../harness/clock.ts';
import { recordingLog, silentLog } from '../../harness/log.ts';
import { CODE, NOW, paymentRequest, startScriptedPsp, TXID } from './scripted-psp.ts';

const request = paymentRequest();
const ANSWER = { status: 'ATIVA', pixCopiaECola: CODE };

test('one token serves all calls until a minute before its end, and callers at the same time share one request', async t => {
  const psp = await startScriptedPsp(t);
  const clock = testClock(NOW);
  const { lookup } = bacenRail(psp.settings, { clock, log: silentLog });
  psp.answer({ body: ANSWER });
  // Some PSPs write the seconds as text.
  psp.answerToken(() => ({ body: { access_token: `t${psp.tokenCalls.length}`, expires_in: '300' } }));
  await Promise.all(Array.from({ length: 10 }, () => lookup(request, TXID)));
  clock.advanceMs(239_000);
  await lookup(request, TXID);
  assert.equal(psp.tokenCalls.length, 1);
  clock.advanceMs(1_000);
  await lookup(request, TXID);
  assert.equal(psp.tokenCalls.length, 2);
  assert.deepEqual(new Set(psp.calls.map(({ headers }) => headers.authorization)), new Set(['Bearer t1', 'Bearer t2']));
});

test('a dropped token is replaced once and the call repeated', async t => {
  const psp = await startScriptedPsp(t);
  const { submit } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  const revoked = new Set<string>();
  psp.answer(({ headers }) => (revoked.has(headers.authorization ?? '') ? { status: 401 } : { body: ANSWER }));
  assert.equal((await submit(request, TXID)).kind, 'registered');
  revoked.add('Bearer token-1');
  assert.equal((await submit(request, TXID)).kind, 'registered');
  assert.deepEqual([psp.calls.length, psp.tokenCalls.length], [3, 2]);
});

test('one refusal of a new token leads to another token, and to no pause', async t => {
  const psp = await startScriptedPsp(t);
  const { submit } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  psp.answer(({ headers }) => (headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: ANSWER }));
  assert.equal((await submit(request, TXID)).kind, 'registered');
  assert.deepEqual([psp.calls.length, psp.tokenCalls.length], [2, 2]);
  // The same after tokens that worked: a stray 401 and, on the new token, another one.
  const refused = new Set(['Bearer token-2', 'Bearer token-3']);
  psp.answer(({ headers }) => (refused.has(headers.authorization ?? '') ? { status: 401 } : { body: ANSWER }));
  assert.equal((await submit(request, TXID)).kind, 'registered');
  assert.equal(psp.tokenCalls.length, 4);
});

test('concurrent calls with one refused token cause no pause', async t => {
  const psp = await startScriptedPsp(t);
  const { lookup } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
  psp.answer(({ headers }) => (headers.authorization === 'Bearer token-1' ? { status: 401 } : { body: ANSWER }));
  const found = await Promise.all(Array.from({ length: 8 }, () => lookup(request, TXID)));
  assert.deepEqual(new Set(found.map(({ kind }) => kind)), new Set(['registered']));
  assert.equal(psp.tokenCalls.length, 2);
});

test('a PSP that refuses every token is not asked for new ones repeatedly', async t => {
  const psp = await startScriptedPsp(t);
  const clock = testClock(NOW);
  const { submit } = bacenRail(psp.settings, { clock, log: silentLog });
  const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1_000);
  psp.answer({ status: 401 });
  for (let call = 0; call < 5; call++) {
    assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(30) });
  }
  assert.deepEqual([psp.calls.length, psp.tokenCalls.length], [2, 2]);
  clock.advanceMs(30_000);
  for (let call = 0; call < 5; call++) {
    assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(90) });
  }
  assert.deepEqual([psp.calls.length, psp.tokenCalls.length], [3, 3]);
  psp.answer({ body: ANSWER });
  clock.advanceMs(60_000);
  assert.equal((await submit(request, TXID)).kind, 'registered');
});

test('after a failure the next request for a token waits, with a growing pause', async t => {
  const psp = await startScriptedPsp(t);
  const clock = testClock(NOW);
  const { submit } = bacenRail(psp.settings, { clock, log: silentLog });
  const at = (seconds: number) => new Date(Date.parse(NOW) + seconds * 1_000);
  psp.answerToken({ status: 500 });
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(1) });
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(1) });
  assert.equal(psp.tokenCalls.length, 1);
  clock.advanceMs(1_000);
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(3) });
  clock.advanceMs(2_000);
  // Wrong credentials wait much longer: the PSP may block this address.
  psp.answerToken({ status: 401, body: { error: 'invalid_client' } });
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(123) });
  clock.advanceMs(120_000);
  psp.answerToken({ status: 429, headers: { 'retry-after': '60' } });
  assert.deepEqual(await submit(request, TXID), { kind: 'unavailable', retryAt: at(183) });
  clock.advanceMs(60_000);
  psp.answerToken({ body: { access_token: 'good', expires_in: 60 } });
  psp.answer({ body: ANSWER });
  assert.equal((await submit(request, TXID)).kind, 'registered');
  assert.equal(psp.tokenCalls.length, 5);
});

test('an answer without a usable token is no token', async t => {
  const psp = await startScriptedPsp(t);
  for (const body of ['', '<html>', '{}', '{"access_token":""}', '{"access_token":"a\\r\\nx: y"}', '[]', 'null']) {
    psp.answerToken({ body });
    const { submit } = bacenRail(psp.settings, { clock: testClock(NOW), log: silentLog });
    assert.equal((await submit(request, TXID)).kind, 'unavailable', body);
  }
  assert.deepEqual(psp.calls, []);
});

test('scopes that the PSP does not grant are logged once', async t => {
  const psp = await startScriptedPsp(t);
  const { log, lines } = recordingLog();
  const clock = testClock(NOW);
  const { lookup } = bacenRail(psp.settings, { clock, log });
  psp.answer({ body: ANSWER });
  psp.answerToken({ body: { access_token: 't', expires_in: 120, scope: 'cob.read cob.write cobv.read pix.read' } });
  for (let call = 0; call < 3; call++) {
    await lookup(request, TXID);
    clock.advanceMs(120_000);
  }
  assert.equal(psp.tokenCalls.length, 3);
  assert.deepEqual(
    lines.map(line => JSON.parse(line).reason),
    ['cobv.write pix.write'],
  );
});

test('each set of scopes has its own token, unless the PSP is not sent the scopes', async t => {
  for (const [sendsScopes, count] of [
    [true, 2],
    [false, 1],
  ] as const) {
    const psp = await startScriptedPsp(t);
    const rail = bacenRail({ ...psp.settings, quirks: { sendsScopes } }, { clock: testClock(NOW), log: silentLog });
    psp.answer({ body: { webhookUrl: 'https://hooks.example', ...ANSWER } });
    await rail.lookup(request, TXID);
    await rail.readWebhook();
    await rail.readWebhook();
    assert.equal(psp.tokenCalls.length, count);
    const [first] = psp.tokenCalls;
    assert.equal(new URLSearchParams(first?.body).has('scope'), sendsScopes);
  }
});

test('credentials are sent as the profile says', async t => {
  const psp = await startScriptedPsp(t);
  psp.answer({ body: ANSWER });
  const basic = `Basic ${Buffer.from('trilho:hunter2-secret').toString('base64')}`;
  const cases: [Pick<Profile, 'credentials' | 'tokenBody'>, string | undefined, Record<string, string>][] = [
    [{ credentials: 'basic', tokenBody: 'form' }, basic, {}],
    [{ credentials: 'basic', tokenBody: 'json' }, basic, {}],
    [{ credentials: 'body', tokenBody: 'form' }, undefined, { client_id: 'trilho', client_secret: 'hunter2-secret' }],
    [{ credentials: 'id-only', tokenBody: 'form' }, undefined, { client_id: 'trilho' }],
  ];
  for (const [quirks, authorization, fields] of cases) {
    const settings = { ...psp.settings, quirks: { ...quirks, sendsScopes: false } };
    await bacenRail(settings, { clock: testClock(NOW), log: silentLog }).lookup(request, TXID);
    const seen = psp.tokenCalls.at(-1);
    const read =
      quirks.tokenBody === 'json' ? JSON.parse : (text: string) => Object.fromEntries(new URLSearchParams(text));
    assert.equal(seen?.headers.authorization, authorization);
    assert.deepEqual(read(seen?.body ?? ''), { grant_type: 'client_credentials', ...fields });
  }
});
