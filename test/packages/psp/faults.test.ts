// Faults of the simulated PSP: each does what its name says, as often as it was set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testClock } from '../../harness/clock.ts';
import { cobBody, KEY, newTxid, startCaller } from './caller.ts';

test('a call with a lost reply is carried out; one on a cut connection is not', async t => {
  const { call, psp } = await startCaller(t);
  const [lost, cut] = [newTxid(), newTxid()];
  psp.setFault({ kind: 'lost-reply', on: { method: 'PUT', path: '/cob/' }, count: 1 });
  await assert.rejects(call('PUT', `/cob/${lost}`, cobBody()));
  assert.equal((await call('GET', `/cob/${lost}`)).status, 200);
  psp.setFault({ kind: 'cut', on: { method: 'PUT' }, count: 1 });
  await assert.rejects(call('PUT', `/cob/${cut}`, cobBody()));
  assert.equal((await call('GET', `/cob/${cut}`)).status, 404);
  assert.deepEqual(
    psp
      .requests()
      .filter(({ method }) => method === 'PUT')
      .map(({ status }) => status),
    [0, 0],
  );
});

test('a call that is never answered is carried out first, or not at all', async t => {
  const { raw, call, psp, token } = await startCaller(t);
  const headers = { authorization: `Bearer ${await token()}` };
  for (const [kind, status] of [
    ['timeout-before', 404],
    ['timeout-after', 200],
  ] as const) {
    const txid = newTxid();
    const giveUp = new AbortController();
    psp.setFault({ kind, on: { method: 'PUT' }, count: 1 });
    const asked = raw('PUT', `${psp.url}/cob/${txid}`, { body: cobBody(), headers, signal: giveUp.signal });
    const before = psp.requests().length;
    while (psp.requests().length === before) await call('GET', '/webhook');
    giveUp.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    assert.equal((await call('GET', `/cob/${txid}`)).status, status, kind);
  }
});

test('statuses, pages of HTML and delays', async t => {
  const { call, psp } = await startCaller(t);
  const once = { on: { path: '/webhook' }, count: 1 };
  for (const status of [409, 500, 503]) {
    psp.setFault({ kind: 'status', status, ...once });
    const { status: answered, json } = await call('GET', '/webhook');
    assert.deepEqual([answered, json.status], [status, status]);
  }
  psp.setFault({ kind: 'status', status: 429, retryAfterSeconds: 7, ...once });
  const limited = await call('GET', '/webhook');
  assert.deepEqual([limited.status, limited.headers['retry-after']], [429, '7']);
  psp.setFault({ kind: 'html', ...once });
  const page = await call('GET', '/webhook');
  assert.deepEqual([page.status, page.headers['content-type']], [502, 'text/html']);
  psp.setFault({ kind: 'slow', delayMs: 5, ...once });
  assert.equal((await call('GET', '/webhook')).status, 200);
  assert.deepEqual(
    psp.faults().map(({ fired }) => fired),
    [1, 1, 1, 1, 1, 1],
  );
});

test('an answer names the fault that made or changed it, and only then', async t => {
  const { call, psp } = await startCaller(t);
  const marked = async () => (await call('GET', '/webhook')).headers['x-simulated-fault'];
  for (const kind of ['status', 'html', 'stale-read'] as const) {
    psp.setFault({ kind, count: 1 });
    assert.deepEqual([await marked(), await marked()], [kind, undefined]);
  }
});

test('a fault skips some calls, fires a set number of times, and can be cleared', async t => {
  const { call, psp } = await startCaller(t);
  const statuses = async (count: number) => {
    const found: number[] = [];
    for (let index = 0; index < count; index++) found.push((await call('GET', '/webhook')).status);
    return found;
  };
  psp.setFault({ kind: 'status', skip: 1, count: 2 });
  assert.deepEqual(await statuses(4), [200, 500, 500, 200]);
  const id = psp.setFault({ kind: 'status', status: 503 });
  assert.deepEqual(await statuses(1), [503]);
  psp.clearFaults(id);
  assert.deepEqual(await statuses(1), [200]);
  psp.setFault({ kind: 'status', probability: 0.5 });
  const chance = await statuses(40);
  assert.ok(chance.includes(200) && chance.includes(500));
});

test('the same seed makes the same faults', async t => {
  const run = async () => {
    const { call, psp } = await startCaller(t, { seed: 7 });
    psp.setFault({ kind: 'status', probability: 0.5 });
    const found: number[] = [];
    for (let index = 0; index < 12; index++) found.push((await call('GET', '/webhook')).status);
    return found;
  };
  assert.deepEqual(await run(), await run());
});

test('a valid token is refused, or has fewer scopes than its client', async t => {
  const { call, psp, raw, token } = await startCaller(t);
  const headers = { authorization: `Bearer ${await token()}` };
  psp.setFault({ kind: 'expired-token', count: 1 });
  assert.equal((await raw('GET', `${psp.url}/webhook`, { headers })).status, 401);
  psp.setFault({ kind: 'narrow-token', scopes: ['cob.write'] });
  assert.equal((await call('PUT', `/cob/${newTxid()}`, cobBody())).status, 201);
  assert.equal((await call('GET', '/webhook')).status, 403);
  psp.clearFaults();
  psp.setFault({ kind: 'status', status: 500, on: { path: 'token' }, count: 1 });
  await assert.rejects(async () => assert.ok(await token()));
});

test('a stale read shows the state before the last change, or an older one', async t => {
  const clock = testClock('2030-12-02T15:00:00Z');
  const { call, psp } = await startCaller(t, { clock });
  const txid = newTxid();
  await call('PUT', `/cob/${txid}`, cobBody());
  clock.advanceMs(10_000);
  const { endToEndId } = await psp.pay({ txid });
  const status = async () => (await call('GET', `/cob/${txid}`)).json.status;
  psp.setFault({ kind: 'stale-read', on: { path: '/cob' }, count: 2 });
  assert.deepEqual([await status(), await status(), await status()], ['ATIVA', 'ATIVA', 'CONCLUIDA']);
  psp.setFault({ kind: 'stale-read', delayMs: 5_000 });
  const list = () => call('GET', '/pix?inicio=2030-12-02T15:00:00Z&fim=2030-12-02T15:00:10Z');
  assert.equal((await call('GET', `/pix/${endToEndId}`)).status, 404);
  assert.deepEqual([await status(), (await list()).json.pix], ['ATIVA', []]);
  clock.advanceMs(5_000);
  assert.equal((await call('GET', `/pix/${endToEndId}`)).status, 200);
  assert.deepEqual([await status(), (await list()).json.pix.length], ['CONCLUIDA', 1]);
});

test('a refund that has just ended is stale too', async t => {
  const { call, psp } = await startCaller(t, { refunds: { status: 'DEVOLVIDO', afterMs: null } });
  const { endToEndId } = await psp.pay({ chave: KEY, valor: '5.00' });
  const path = `/pix/${endToEndId}/devolucao/d1`;
  await call('PUT', path, { valor: '5.00' });
  psp.endRefund({ endToEndId, id: 'd1', status: 'DEVOLVIDO' });
  psp.setFault({ kind: 'stale-read', count: 1 });
  assert.equal((await call('GET', path)).json.status, 'EM_PROCESSAMENTO');
  assert.equal((await call('GET', path)).json.status, 'DEVOLVIDO');
});
