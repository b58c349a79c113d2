// Payouts of one network that are looked up at the same time are read and written together: no payout delays another, and no
// payout is written twice.
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import pg from 'pg';
import type { Chain } from '../../src/chains/chain.ts';
import { payoutJobs } from '../../src/payouts/engine/advance.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { ACCOUNT, openOrderNode } from '../harness/order-verbs.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer } from '../harness/service.ts';

/** Long enough for a transfer on polygon to be done, and too short for it to be final: it is still looked up. */
const LATER_MS = 150_000;

let sandbox: PayoutService;
before(async () => {
  sandbox = await startPayoutService();
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});

/** Lookups that all end with the last of `count`, so that their sightings are written in one batch. */
function lookedUpTogether(chain: Chain, count: number): Chain {
  const ended: (() => void)[] = [];
  return {
    ...chain,
    lookup: async (...asked) => {
      const sighting = await chain.lookup(...asked);
      const { promise, resolve } = Promise.withResolvers<void>();
      ended.push(resolve);
      if (ended.length === count) for (const end of ended) end();
      await promise;
      return sighting;
    },
  };
}

/** A node whose clock is late enough to see such payouts done, and that looks up `count` of them together. */
async function openLateNode(t: TestContext, order: Answer, count: number) {
  const { orders, service } = sandbox;
  const { createdAt } = await orders.read(order);
  const now = new Date(Date.parse(createdAt) + LATER_MS).toISOString();
  const node = await openOrderNode(service.databaseUrl, now, undefined, ({ clock, db }) => {
    const { polygon } = sandboxChains({ clock, store: sandboxChainStore(db) });
    return { polygon: lookedUpTogether(polygon, count) };
  });
  t.after(() => node.close());
  const jobs = payoutJobs(node.deps);
  const job = jobs.find(({ name }) => name === 'payout.advance.polygon');
  assert.ok(job);
  return async (one: Answer) => {
    const [row] = await node.db.query<{ id: string }>('select id from payouts where order_id = $1', [
      one.json.transactionId,
    ]);
    assert.ok(row);
    return job.run({ accountId: ACCOUNT, payoutId: row.id });
  };
}

test('a locked order delays only its own payout', async t => {
  const { orders, service, paid, payouts } = sandbox;
  const made: Answer[] = [];
  for (let index = 0; index < 5; index++) made.push(await paid());
  const [locked, ...others] = made as [Answer, ...Answer[]];
  const advance = await openLateNode(t, locked, made.length);
  const holder = new pg.Client({ connectionString: service.databaseUrl });
  await holder.connect();
  t.after(() => holder.end());
  await holder.query('begin');
  await holder.query('select from orders where id = $1 for update', [locked.json.transactionId]);
  const waiting = advance(locked);
  assert.deepEqual(
    await Promise.all(others.map(order => advance(order))),
    others.map(() => 'done'),
  );
  for (const order of others) assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.equal((await orders.read(locked)).status, 'fulfilling');
  await holder.query('rollback');
  assert.equal(await waiting, 'done');
  assert.equal((await orders.read(locked)).status, 'fulfilled');
  for (const order of made) assert.equal((await payouts(order)).length, 1);
});

test('two lookups of one payout in one batch take one step', async t => {
  const { orders, service, paid } = sandbox;
  const order = await paid();
  const advance = await openLateNode(t, order, 2);
  assert.deepEqual(await Promise.all([advance(order), advance(order)]), ['done', 'done']);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
  const [payout] = await service.sql<{ idle_looks: number }>('select idle_looks from payouts where order_id = $1', [
    order.json.transactionId,
  ]);
  assert.equal(payout?.idle_looks, 0, 'the second lookup is not one without a change');
});
