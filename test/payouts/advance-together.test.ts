// Payouts of one network that are looked up at the same time are read and written together: none keeps another waiting, and
// none is written twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { ordersAsOwners } from '../../src/orders/payout-progress.ts';
import { payoutJobs } from '../../src/payouts/advance.ts';
import { ACCOUNT, openOrderNode } from '../harness/order-verbs.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import { ASK_AGAIN_MS, until } from '../harness/process.ts';
import type { Answer } from '../harness/service.ts';

/** Long enough for every confirmation. */
const LATER_MS = 600_000;

let sandbox: PayoutService;
before(async () => {
  sandbox = await startPayoutService();
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});

test('an order that somebody has locked keeps only its own payout waiting', async () => {
  const { orders, service, paid, payouts } = sandbox;
  const made: Answer[] = [];
  for (let index = 0; index < 5; index++) made.push(await paid());
  const [locked, ...others] = made as [Answer, ...Answer[]];
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from orders where id = $1 for update', [locked.json.transactionId]);
  const moved = orders.advance('PT10M');
  const areDone = async () => {
    const views = await Promise.all(others.map(order => orders.read(order)));
    return views.every(({ status }) => status === 'fulfilled');
  };
  await until('the other orders', areDone, ASK_AGAIN_MS);
  assert.equal((await orders.read(locked)).status, 'fulfilling');
  await holder.query('rollback');
  await holder.end();
  await moved;
  await orders.advance('PT10M');
  assert.equal((await orders.read(locked)).status, 'fulfilled');
  for (const order of made) assert.equal((await payouts(order)).length, 1);
});

test('two lookups of one payout in one batch take one step', async () => {
  const { orders, service, paid } = sandbox;
  const order = await paid();
  const { createdAt } = await orders.read(order);
  const [row] = await service.sql<{ id: string }>('select id from payouts where order_id = $1', [
    order.json.transactionId,
  ]);
  assert.ok(row);
  const node = await openOrderNode(service.databaseUrl, new Date(Date.parse(createdAt) + LATER_MS).toISOString());
  const jobs = payoutJobs({ ...node.deps, payoutOwner: ordersAsOwners(node.deps) });
  const advance = jobs.find(({ name }) => name === 'payout.advance.polygon');
  assert.ok(advance);
  const payload = { accountId: ACCOUNT, payoutId: row.id };
  assert.deepEqual(await Promise.all([advance.run(payload), advance.run(payload)]), ['done', 'done']);
  await node.close();
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
  const [payout] = await service.sql<{ idle_looks: number }>('select idle_looks from payouts where id = $1', [row.id]);
  assert.equal(payout?.idle_looks, 0, 'the second lookup is not one without a change');
});
