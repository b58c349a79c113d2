// Answers and log lines when the service cannot serve for a reason outside the request.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import type { Chain } from '../../src/chains/chain.ts';
import { sandboxSender } from '../../src/sandbox/chains/simulated-chain.ts';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

const { log, lines } = recordingLog();
beforeEach(() => {
  lines.length = 0;
});

/** The answer is this outage, and the log has a line for it, with our message. */
function assertOutage(answer: Answer, code: string, line: RegExp): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.json.code, code);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  const said = lines
    .map(text => JSON.parse(text))
    .find(({ requestId, error }) => requestId === answer.json.requestId && error);
  assert.equal(said?.level, 'warn');
  assert.match(said.msg, line);
  assert.equal(said.error.code, code);
  assert.equal(said.error.message, answer.json.detail);
}

describe('a database whose locks are held', () => {
  let database: TestDatabase;
  let service: Service;
  let holder: pg.Client;
  before(async () => {
    database = await createDatabase();
    holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`alter database "${new URL(database.url).pathname.slice(1)}" set lock_timeout = '100ms'`);
    service = await startService({ env: { DATABASE_URL: database.url }, log });
  });
  after(async () => {
    await service.stop();
    await holder.end();
    await database.drop();
  });

  test('is too slow, not unavailable', async () => {
    const { id } = (await service.post('/charges', chargeBody())).json;
    await holder.query('begin; lock table charges in access exclusive mode');
    const answer = await service.get(`/charges/${id}`);
    await holder.query('rollback');
    assertOutage(answer, 'database_timeout', /took too long/);
    assert.equal((await service.get(`/charges/${id}`)).status, 200);
  });

  test('is logged, too, when a payer gets a page', async () => {
    const { id } = (await service.post('/charges', chargeBody())).json;
    const { checkoutUrl } = (await service.get(`/charges/${id}`)).json;
    await holder.query('begin; lock table charges in access exclusive mode');
    const answer = await fetch(service.url + new URL(checkoutUrl).pathname);
    await holder.query('rollback');
    assert.equal(answer.status, 503, await answer.text());
    const said = lines.map(text => JSON.parse(text)).find(({ route, error }) => route === '/pay/:token' && error);
    assert.deepEqual([said?.level, said?.error.code], ['warn', 'database_timeout']);
  });

  test("does not lose a bank's payment: it is recorded when the lock is released", async () => {
    // The sandbox's payer pays this amount by itself on the due day.
    const due = chargeBody({ amountCents: 9_004, methods: ['pix'], dueAt: '2026-12-12T02:59:59Z' });
    const { id } = (await service.post('/charges', due)).json;
    await service.runJobs();
    await holder.query('begin; lock table payments in exclusive mode');
    const moved = await service.post('/sandbox/clock', { advance: 'P25DT3H' });
    await holder.query('rollback');
    assert.equal(moved.status, 200, moved.text);
    const failed = lines.map(text => JSON.parse(text)).find(({ job }) => job === 'charge.reconcile');
    assert.deepEqual([failed?.chargeId, failed.error.code], [id, 'database_timeout']);
    assert.equal((await service.get(`/charges/${id}`)).json.pix.status, 'ACTIVE');
    assert.equal((await service.get('/payments/unmatched')).json.total, 0);
    await service.runJobs();
    assert.equal((await service.get(`/charges/${id}`)).json.pix.status, 'PAID');
  });
});

describe('an order whose transfer failed', () => {
  /** A network whose nodes are silent; no other call is made. */
  const silent: Chain = {
    name: 'silent',
    network: 'tron',
    senders: [sandboxSender('tron')],
    depth: 20,
    window: 1,
    maxAttempts: 1,
    placeOf: () => ({ isTest: false }),
    nextNonce: () => assert.fail('no slot is taken'),
    isContract: () => assert.fail('no wallet is created'),
    check: async () => ({ kind: 'unknown' }),
    funds: () => assert.fail('no funds are read'),
    health: () => assert.fail('its health is not asked'),
    sign: () => assert.fail('nothing is signed'),
    broadcast: () => assert.fail('nothing is sent'),
    lookup: () => assert.fail('nothing is looked up'),
    readTransfer: () => assert.fail('no transfer is read'),
    nextLookupAt: (_sighting, now) => now,
  };

  async function retryOn(chains: { tron?: Chain }): Promise<Answer> {
    const service = await startService({ chains, log });
    const order = transaction({ network: 'tron', status: 'fulfilling' });
    await seed(service, [order]);
    await service.sql(`update orders set hold_reason = 'transfer_reverted', held_at = created_at where id = $1`, [
      order.id,
    ]);
    const answer = await service.post(`/crypto/transactions/${order.id}/retry`, {});
    await service.stop();
    return answer;
  }

  test('is not sent again while no node answers', async () => {
    assertOutage(await retryOn({ tron: silent }), 'chain_unavailable', /no node of the chain answers/);
  });

  test('is not sent again if its network is not configured', async () => {
    const answer = await retryOn({});
    assertOutage(answer, 'not_configured', /a setting is missing/);
    assert.match(answer.json.detail, /tron/);
  });
});
