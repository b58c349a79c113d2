// An order never waits in vain: nodes whose clocks differ, and chains that become silent at the wrong moment.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { recordingLog } from '../harness/log.ts';
import { ORDER_VERBS, type OrderNode, openOrderNode } from '../harness/order-verbs.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

const START = '2026-11-16T12:00:00.000Z';

const { log, lines } = recordingLog();
let service: Service;
let orders: OrderDriver;
/** Another node, whose clock is the test's. */
let otherNode: OrderNode;
before(async () => {
  service = await startService({ now: START, log });
  orders = orderDriver(service);
  otherNode = await openOrderNode(service.databaseUrl, START);
});
after(async () => {
  await otherNode.close();
  await service.stop();
});

/** A sweep has no particular order. */
const noVictim = { transactionId: '', chargeId: '' };

test('a timer that a node with a faster clock took too early is set again', async () => {
  const priced = await orders.order({ charge: undefined });
  const scheduled = await orders.order({ settlementSchedule: 'D1' });
  await orders.pay(scheduled);
  await service.runJobs();
  otherNode.deps.clock.set('2026-11-20T12:00:00.000Z');
  await ORDER_VERBS.sweep(otherNode.deps, noVictim);
  await service.runJobs();
  assert.equal(await orders.events(priced), 'pending_payment');
  await orders.advance('P2D');
  assert.equal(await orders.events(priced), 'pending_payment expired');
  assert.equal((await orders.read(scheduled)).status, 'fulfilled');
});

test('an order that gets a new price while its chain has never answered continues once it does', async () => {
  const network = 'tron';
  await orders.fault(network, { fault: 'rpc_timeout' });
  const order = await orders.order({ network });
  await orders.pay(order, { amountCents: 10_000 });
  await service.runJobs();
  const repriced = await service.post(`/crypto/transactions/${order.json.transactionId}/reprice`, {});
  assert.equal(repriced.status, 200, repriced.text);
  await service.runJobs();
  assert.equal((await orders.read(order)).status, 'pending_fulfillment');
  await orders.fault(network, { fault: 'none' });
  await orders.advance('P1D');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('when a chain answers again its error is cleared', async () => {
  const order = await orders.order();
  await orders.pay(order);
  await orders.advance('PT3M');
  assert.equal((await orders.read(order)).transfer.state, 'done');
  await orders.fault('polygon', { fault: 'rpc_timeout' });
  await orders.advance('PT3M');
  assert.equal((await orders.read(order)).lastError, 'The chain does not answer.');
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT1H');
  const { transfer, lastError } = await orders.read(order);
  assert.deepEqual([transfer.state, lastError], ['final', undefined]);
});

test('a transaction whose commit was not confirmed is run again and finds its own rows', async () => {
  otherNode.deps.clock.set((await service.get('/sandbox/clock')).json.now);
  const { db } = otherNode;
  const deps: OrderNode['deps'] = {
    ...otherNode.deps,
    db: {
      ...db,
      transaction: async work => {
        await db.transaction(work);
        return db.transaction(work);
      },
    },
  };
  const network = 'bsc';
  await orders.fault(network, { fault: 'reverting' });
  const order = await orders.order({ network, charge: undefined });
  const { transactionId } = order.json;
  await ORDER_VERBS.attach(deps, { transactionId, chargeId: '' });
  const { chargeId } = await orders.read(order);
  const victim = { transactionId, chargeId };
  await service.post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix', amountCents: 100 });
  await ORDER_VERBS.follow(deps, victim);
  await ORDER_VERBS.reprice(deps, victim);
  await ORDER_VERBS.fulfill(deps, victim);
  await orders.advance('PT10M');
  await orders.fault(network, { fault: 'none' });
  deps.clock.set((await service.get('/sandbox/clock')).json.now);
  await ORDER_VERBS.retry(deps, victim);
  await ORDER_VERBS.fulfill(deps, victim);
  await orders.advance('PT10M');
  assert.equal(
    await orders.events(order),
    'pending_payment pending_fulfillment held repriced fulfilling held resumed fulfilled',
  );
  assert.equal((await orders.read(order)).transfer.state, 'final');
});

test('a long clock move stops at the credit of a boleto and at the expiry of a charge', async () => {
  const charge = { ...CHARGE_PART, methods: ['boleto'] };
  const paid = await orders.order({ charge });
  const unpaid = await orders.order();
  assert.equal((await orders.pay(paid, { method: 'boleto' })).status, 200);
  const { now } = (await service.get('/sandbox/clock')).json;
  await orders.advance('P10D');
  const { status, transfer, timeline } = await orders.read(paid);
  assert.deepEqual([status, transfer.state], ['fulfilled', 'final']);
  assert.ok(Date.parse(timeline.at(-1).at) < Date.parse(now) + 5 * 86_400_000, 'not at the end of the move');
  const { endedAs, endedAt } = await orders.read(unpaid);
  assert.equal(endedAs, 'expired');
  assert.ok(Date.parse(endedAt) < Date.parse(now) + 2 * 86_400_000, 'not at the end of the move');
});

test('the log shows what an order and its payout wait for, and when the crypto was sent', async () => {
  const network = 'arbitrum';
  await orders.fault(network, { fault: 'rpc_timeout' });
  lines.length = 0;
  const order = await orders.order({ network });
  await orders.pay(order);
  await service.runJobs();
  await orders.fault(network, { fault: 'none' });
  await orders.advance('P1D');
  const orderId = order.json.transactionId;
  const about = lines
    .map(line => JSON.parse(line))
    .filter(line => line.orderId === orderId && line.network === network);
  const said = (part: RegExp) => about.find(({ msg }) => part.test(msg));
  assert.equal(said(/no node of the chain answers; the order waits/)?.level, 'info');
  assert.equal(said(/signed and saved/)?.attempt, 1);
  const done = said(/the payout is done/);
  assert.match(done.payoutId, /^[0-9a-f-]{36}$/);
  assert.equal(about.filter(({ msg }) => msg === done.msg).length, 1);
});
