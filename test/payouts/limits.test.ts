// Limits of payouts: by payout, by 24 hours, and by 24 hours to one address; enforced across several nodes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** An order of the driver is 100 usdt. */
const TRILHO_PAYOUTS = JSON.stringify({
  limits: [
    { symbol: 'usdt', network: 'polygon', perPayout: '99.999999' },
    { symbol: 'usdt', network: 'ethereum', perDay: '250' },
    { symbol: 'usdt', network: 'bsc', perDayToAddress: '150' },
    { symbol: 'usdt', network: 'arbitrum', perDay: '500' },
    { symbol: 'usdt', network: 'tron', perDay: '200' },
    { symbol: 'usdc', perDay: '99' },
    { symbol: 'eth', network: 'arbitrum', perDay: '0.07' },
  ],
});
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANOTHER_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService({ env: { TRILHO_PAYOUTS } });
  orders = orderDriver(service);
});
after(() => service.stop());

async function paid(changes: Record<string, unknown>): Promise<Answer> {
  const order = await orders.order(changes);
  assert.equal(order.status, 201, order.text);
  await orders.pay(order);
  await service.runJobs();
  return order;
}
const act = (order: Answer, verb: string) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/${verb}`, {});
const payoutsOf = async (order: Answer) =>
  (await service.sql('select from payouts where order_id = $1', [order.json.transactionId])).length;
async function assertFulfilled(order: Answer): Promise<void> {
  const { status, holdReason, lastError } = await orders.read(order);
  assert.deepEqual([status, holdReason, lastError], ['fulfilled', undefined, undefined]);
}

test('a payout above the limit of one is held, and sent when it is approved', async () => {
  const order = await paid({ network: 'polygon' });
  const held = await orders.read(order);
  assert.deepEqual(
    [held.status, held.holdReason, held.lastError],
    ['pending_fulfillment', 'over_payout_limit', '100 usdt is above the limit of one payout: 99.999999 usdt.'],
  );
  assert.equal((await act(order, 'retry')).status, 200);
  await orders.advance('PT1H');
  assert.deepEqual([(await orders.read(order)).holdReason, await payoutsOf(order)], ['over_payout_limit', 0]);
  const approved = await act(order, 'approve');
  assert.equal(approved.status, 200, approved.text);
  assert.equal(await payoutsOf(order), 0, 'an approval does not send');
  await orders.advance('PT1H');
  await assertFulfilled(order);
});

test('an order that is held above a limit can be refunded', async () => {
  const order = await paid({ network: 'polygon' });
  assert.equal((await service.post(`/charges/${order.json.charge.id}/refunds`, {})).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(order)).endedAs, 'refunded');
});

test('above the limit of 24 hours an order waits until it fits, and shows until when', async () => {
  const began = Date.parse((await service.get('/sandbox/clock')).json.now);
  const [first, second, third] = [
    await paid({ network: 'ethereum' }),
    await paid({ network: 'ethereum' }),
    await paid({ network: 'ethereum' }),
  ];
  const waiting = await orders.read(third);
  assert.deepEqual([waiting.status, waiting.holdReason], ['pending_fulfillment', 'over_day_limit']);
  const [, fitsAt = ''] =
    /^250 usdt may leave in 24 hours and 200 usdt has; it fits at (\S+)\.$/.exec(waiting.lastError) ?? [];
  const openedAt = async (order: Answer) => {
    const opened = 'select created_at as at from payouts where order_id = $1';
    const [row] = await service.sql<{ at: Date }>(opened, [order.json.transactionId]);
    return row?.at.getTime();
  };
  assert.equal(await openedAt(first), Date.parse(fitsAt) - DAY_MS);
  assert.ok(Date.parse(fitsAt) >= began + DAY_MS);
  await orders.advance('PT1H');
  for (const order of [first, second]) await assertFulfilled(order);
  const restMs = Date.parse(fitsAt) - 1_000 - Date.parse((await service.get('/sandbox/clock')).json.now);
  // Small steps around each time at which the order is checked; otherwise the clock jumps.
  const walkedHours = Math.min(scaled(24, 1), Math.floor(restMs / HOUR_MS));
  service.clock.advanceMs(restMs - walkedHours * HOUR_MS);
  await orders.advance(`PT${walkedHours}H`);
  assert.equal((await orders.read(third)).holdReason, 'over_day_limit');
  // A payout of exactly 24 hours ago no longer counts.
  await orders.advance('PT1S');
  assert.equal(await openedAt(third), Date.parse(fitsAt));
  await orders.advance('PT1H');
  await assertFulfilled(third);
  assert.equal(await orders.events(third), 'pending_payment pending_fulfillment held resumed fulfilling fulfilled');
});

test('the limit of an address applies to it alone', async () => {
  const first = await paid({ network: 'bsc' });
  const waits = await paid({ network: 'bsc' });
  const wallet = { accountId: 'acme', name: 'Other', network: 'bsc', address: ANOTHER_ADDRESS };
  const elsewhere = await paid({ network: 'bsc', walletId: (await service.post('/wallets', wallet)).json.id });
  await orders.advance('PT1H');
  for (const order of [first, elsewhere]) await assertFulfilled(order);
  const { holdReason, lastError } = await orders.read(waits);
  assert.equal(holdReason, 'over_day_limit');
  assert.match(lastError, /^150 usdt may leave to one address in 24 hours and 100 usdt has;/);
});

test('an order that never fits is held instead of waiting; an approval does not lift the limit of a day', async () => {
  const order = await paid({ network: 'base', symbol: 'usdc' });
  const { holdReason, lastError } = await orders.read(order);
  assert.equal(holdReason, 'over_payout_limit');
  assert.match(lastError, /^100\.\d+ usdc never fits: 99 usdc may leave in 24 hours\.$/);
  await act(order, 'approve');
  await orders.advance('PT1H');
  assert.deepEqual([(await orders.read(order)).holdReason, await payoutsOf(order)], ['over_payout_limit', 0]);
});

test('a payout that moved nothing does not count for limits', async () => {
  await orders.fault('tron', { fault: 'reverting' });
  const failed = await paid({ network: 'tron' });
  await orders.advance('PT1H');
  assert.equal((await orders.read(failed)).holdReason, 'transfer_reverted');
  await orders.fault('tron', { fault: 'none' });
  const [second, third] = [await paid({ network: 'tron' }), await paid({ network: 'tron' })];
  await orders.advance('PT1H');
  for (const order of [second, third]) await assertFulfilled(order);
});

test('orders that take slots together are counted together', async () => {
  const scope = { network: 'arbitrum', symbol: 'eth' };
  await service.post('/payouts/pause', scope);
  for (let count = 0; count < 3; count++) await paid(scope);
  await service.post('/payouts/resume', scope);
  await service.runJobs();
  const sent = await service.sql(`select from payouts where symbol = 'eth'`);
  assert.equal(sent.length, 2, 'of 0.0288 eth each');
});

test('three nodes together send no more than the limit', async () => {
  const others = [
    await startService({ beside: service, env: { TRILHO_PAYOUTS } }),
    await startService({ beside: service, env: { TRILHO_PAYOUTS } }),
  ];
  const nodes = [service, ...others];
  try {
    for (let round = 0; round < 4; round++) {
      const made: Answer[] = [];
      for (let count = 0; count < 3; count++) made.push(await orders.order({ network: 'arbitrum' }));
      await Promise.all(made.map(order => orders.pay(order)));
      await Promise.all(nodes.map(node => node.runJobs()));
      await orders.advance('PT1M');
    }
    const [sent] = await service.sql<{ units: string; count: number }>(
      `select sum(units)::text as units, count(*)::int as count from payouts
        where network = 'arbitrum' and symbol = 'usdt'`,
    );
    assert.deepEqual(sent, { units: '500000000', count: 5 });
    const held = (await service.get('/crypto/transactions/held?reason=over_day_limit&pageSize=50')).json.orders;
    type Held = { network: string; symbol: string };
    assert.equal(held.filter((one: Held) => one.network === 'arbitrum' && one.symbol === 'usdt').length, 7);
  } finally {
    for (const node of others) await node.stop();
  }
});

test('a raised limit applies to waiting orders soon after the restart', async () => {
  const first = await paid({ network: 'bsc', walletId: await orders.wallet('bsc') });
  const { holdReason } = await orders.read(first);
  assert.equal(holdReason, 'over_day_limit', 'of the limit of its address, see above');
  const limits = [{ symbol: 'usdt', network: 'bsc', perDayToAddress: '1000' }];
  const raised = await startService({ beside: service, env: { TRILHO_PAYOUTS: JSON.stringify({ limits }) } });
  try {
    await orderDriver(raised).advance('PT20M');
    await assertFulfilled(first);
  } finally {
    await raised.stop();
  }
});
