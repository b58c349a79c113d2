// Orders on chains that fail, stall or do not answer: each continues when the chain recovers, or is held with a reason.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService({ env: { TRILHO_FEE_PERCENT: '1' } });
  orders = orderDriver(service);
});
after(async () => {
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog, maxConnections: 1 });
  const results = await checkLedger(db, LEDGER_CHECKS);
  await db.close();
  await service.stop();
  assert.deepEqual(
    results.flatMap(({ differences }) => differences),
    [],
  );
});

const act = (order: Answer, verb: string, body: unknown = {}) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/${verb}`, body);
const refund = (order: Answer, body: unknown = {}) => service.post(`/charges/${order.json.charge.id}/refunds`, body);

async function fulfilledSoon(order: Answer): Promise<Record<string, unknown>> {
  await orders.advance('PT30M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled', JSON.stringify(done));
  assert.equal(done.holdReason, undefined);
  return done;
}

test('the rest of the money of a failed transfer is served at a new price', async () => {
  await orders.fault('arbitrum', { fault: 'reverting' });
  const order = await orders.order({ network: 'arbitrum' });
  await orders.pay(order);
  await orders.advance('PT5M');
  await orders.fault('arbitrum', { fault: 'none' });
  await refund(order, { amountCents: 4_100 });
  await service.runJobs();
  const raced = await act(order, 'retry');
  assert.equal(raced.status, 409, raced.text);
  const served = await act(order, 'reprice');
  assert.equal(served.status, 200, served.text);
  assert.equal(served.json.cost, 500);
  await fulfilledSoon(order);
});

test('on a stalled chain the order waits and makes higher bids', async () => {
  await orders.fault('tron', { fault: 'stalled' });
  const order = await orders.order({ network: 'tron' });
  await orders.pay(order);
  await orders.advance('PT30M');
  const waiting = await orders.read(order);
  assert.equal(waiting.status, 'fulfilling');
  const attempts = await service.sql(
    'select a.number from payout_attempts a join payouts p on p.id = a.payout_id where p.order_id = $1',
    [order.json.transactionId],
  );
  assert.ok(attempts.length > 1, 'a second attempt was signed');
  assert.match(waiting.lastError, /the fee bid was raised/);
  await orders.fault('tron', { fault: 'none' });
  await orders.advance('PT2H');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
});

test('a chain that does not answer is asked again', async () => {
  await orders.fault('tron', { fault: 'rpc_timeout' });
  const order = await orders.order({ network: 'tron' });
  await orders.pay(order);
  await orders.advance('PT5M');
  const waiting = await orders.read(order);
  assert.match(waiting.lastError, /does not answer/);
  await orders.fault('tron', { fault: 'none' });
  await orders.advance('PT15M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled', 'a short silence delays little');
  assert.equal(done.lastError, undefined);
});

test('an order on a chain that has never answered continues once it does', async () => {
  const fresh = await startService();
  try {
    const driver = orderDriver(fresh);
    await driver.fault('polygon', { fault: 'rpc_timeout' });
    // Its charge outlives the price, since a boleto takes days to be paid.
    const order = await driver.order({ charge: { ...CHARGE_PART, methods: ['pix', 'boleto'] } });
    await driver.advance('PT6M');
    await driver.pay(order);
    await fresh.runJobs();
    assert.equal((await driver.read(order)).holdReason, 'quote_expired');
    const served = await fresh.post(`/crypto/transactions/${order.json.transactionId}/reprice`, {});
    assert.equal(served.json.status, 'pending_fulfillment', served.text);
    await fresh.runJobs();
    assert.match((await driver.read(order)).lastError, /does not answer/, 'it shows what it waits for');
    await driver.fault('polygon', { fault: 'none' });
    await driver.advance('PT10M');
    assert.equal((await driver.read(order)).status, 'fulfilled');
  } finally {
    await fresh.stop();
  }
});

test('a transfer that a chain undid and then failed leaves the order held until another one is done', async () => {
  const order = await orders.order({ network: 'bsc' });
  await orders.pay(order);
  await orders.advance('PT13S');
  assert.equal((await orders.read(order)).status, 'fulfilled');
  await orders.fault('bsc', { fault: 'reverting', reorganise: 100 });
  await orders.advance('PT5M');
  assert.equal((await orders.read(order)).holdReason, 'transfer_reverted');
  await orders.fault('bsc', { fault: 'stalled' });
  assert.equal((await act(order, 'retry')).status, 200);
  await orders.advance('PT1M');
  const resting = await orders.read(order);
  assert.equal(resting.holdReason, 'reorganised', 'nothing was sent yet');
  await orders.fault('bsc', { fault: 'none' });
  const done = await fulfilledSoon(order);
  assert.ok(String(done['settlementDate']) > resting.settlementDate);
});
