// A network whose nodes accept calls and never answer: the others are served without delay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Chain } from '../../src/chains/chain.ts';
import { startPayoutService } from '../harness/payout-service.ts';
import { ASK_AGAIN_MS, until } from '../harness/process.ts';

/** More than any batch of jobs. */
const OPEN = 30;
const WAITING = 10;
const HEALTHY = 5;
const STEP_MS = 30_000;

test('a network that never answers does not delay orders of another network', async () => {
  let isSilent = false;
  const hung: (() => void)[] = [];
  const answers = async () => {
    if (isSilent) await new Promise<void>(resolve => hung.push(resolve));
    return !isSilent;
  };
  const silenced = (chain: Chain): Chain => ({
    ...chain,
    window: OPEN,
    lookup: async (...asked) => ((await answers()) ? chain.lookup(...asked) : { kind: 'unknown' }),
    check: async intent => ((await answers()) ? chain.check(intent) : { kind: 'unknown' }),
    funds: async (...asked) => ((await answers()) ? chain.funds(...asked) : undefined),
    sign: async (...asked) => ((await answers()) ? chain.sign(...asked) : { kind: 'unknown' }),
    broadcast: async attempt => ((await answers()) ? chain.broadcast(attempt) : { isSent: false }),
  });
  const { service, orders, stop } = await startPayoutService(
    chain => (chain.network === 'bsc' ? silenced(chain) : chain),
    undefined,
    {},
    { work: true },
  );
  const pay = async (count: number, network: string) => {
    const made = await Promise.all(Array.from({ length: count }, () => orders.order({ network })));
    for (const order of made) await orders.pay(order);
    return made;
  };
  const count = async (sql: string) => (await service.sql<{ count: number }>(sql))[0]?.count ?? 0;
  try {
    await orders.wallet('bsc');
    await orders.wallet('polygon');
    await orders.fault('bsc', { fault: 'stalled' });
    await pay(OPEN, 'bsc');
    const sent = `select count(*)::int as count from payout_attempts`;
    await until('payouts on the network', async () => (await count(sent)) === OPEN);
    isSilent = true;
    await pay(WAITING, 'bsc');
    await until('lookups that hang', () => {
      service.clock.advanceMs(STEP_MS);
      return hung.length >= OPEN;
    });
    const healthy = await pay(HEALTHY, 'polygon');
    const ids = healthy.map(order => `'${order.json.transactionId}'`).join();
    const fulfilled = `select count(*)::int as count from orders where id in (${ids}) and status = 'fulfilled'`;
    const areFulfilled = async () => {
      service.clock.advanceMs(STEP_MS);
      return (await count(fulfilled)) === HEALTHY;
    };
    await until('the orders of the other network', areFulfilled, ASK_AGAIN_MS);
    const others = `select count(*)::int as count from orders where network = 'bsc' and status = 'fulfilled'`;
    assert.equal(await count(others), 0);
  } finally {
    for (const release of hung) release();
    isSilent = false;
    await stop();
  }
});
