// Orders with unexpected payments, and chains with faults: each order is held with a reason, or continues by a rule, and no order
// is stuck silently.
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

test('a payment that is too small holds the order, and the rest, paid in time, resumes it', async () => {
  const order = await orders.order();
  await orders.pay(order, { amountCents: 50_000 });
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'underpaid');
  assert.equal((await act(order, 'cancel')).status, 409);
  await orders.pay(order, { amountCents: 4_100 });
  await fulfilledSoon(order);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment held resumed fulfilling fulfilled');
});

test('a payment that is too small can be served for its amount at the present price', async () => {
  const order = await orders.order();
  await orders.pay(order, { amountCents: 10_820 });
  await service.runJobs();
  const served = await act(order, 'reprice');
  assert.equal(served.status, 200, served.text);
  assert.deepEqual(served.json.exact, { quantity: '19.798521', cost: '108.2', price: '5.41', fee: '1.09' });
  const done = await fulfilledSoon(order);
  assert.equal(done['quantity'], 19.798521);
});

test('a payment of a cent buys less than the minimum: it is not served until the rest is paid', async () => {
  const order = await orders.order();
  await orders.pay(order, { amountCents: 1 });
  await service.runJobs();
  const refused = await act(order, 'reprice');
  assert.equal(refused.status, 409);
  assert.match(
    refused.json.detail,
    /^The money buys 0 usdt at 5\.41 BRL, less than the minimum of 0\.1 usdt on polygon: refund/,
  );
  await orders.pay(order, { amountCents: 54_099 });
  await fulfilledSoon(order);
});

test('a payment that is too large is served as ordered, and the excess can be refunded while the crypto is sent', async () => {
  const order = await orders.order();
  await orders.pay(order, { amountCents: 60_000 });
  await service.runJobs();
  assert.equal((await orders.read(order)).status, 'fulfilling');
  const back = await refund(order, { excess: true });
  assert.equal(back.status, 201, back.text);
  assert.equal(back.json.amountCents, 5_900);
  const all = await refund(order);
  assert.equal(all.status, 409, all.text);
  assert.match(all.json.detail, /converted into crypto/);
  const done = await fulfilledSoon(order);
  assert.equal(done['quantity'], 99);
});

/** Its charge outlives the price, since a boleto takes days to be paid. */
const BOTH_METHODS = { charge: { ...CHARGE_PART, methods: ['pix', 'boleto'] } };

test('a payment after the price has expired waits for a new price', async () => {
  const order = await orders.order(BOTH_METHODS);
  await orders.advance('PT6M');
  await orders.pay(order);
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'quote_expired');
  const wrong = await orders.quote({ cost: 100 });
  const refused = await act(order, 'reprice', { quoteId: wrong.json.id });
  assert.equal(refused.status, 422);
  assert.match(refused.json.detail, /541 BRL/);
  const quote = await orders.quote();
  const served = await act(order, 'reprice', { quoteId: quote.json.id });
  assert.equal(served.status, 200, served.text);
  assert.equal(served.json.quote.id, quote.json.id);
  assert.equal(served.json.status, 'pending_fulfillment', 'it waits in line');
  assert.equal((await act(order, 'reprice')).status, 409);
  await fulfilledSoon(order);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment held repriced fulfilling fulfilled');
});

test('of several new prices requested in one millisecond one is accepted, and the others are refused', async () => {
  const order = await orders.order();
  await orders.advance('PT6M');
  await orders.pay(order);
  await service.runJobs();
  const quotes = await Promise.all([1, 2, 3, 4].map(() => orders.quote()));
  // The clock of the test stands still.
  const answers = await Promise.all(quotes.map(({ json }) => act(order, 'reprice', { quoteId: json.id })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409]);
  const taken = answers.findIndex(({ status }) => status === 200);
  assert.equal((await orders.read(order)).quote.id, quotes[taken]?.json.id);
});

test('held orders are listed, longest first, until they continue', async () => {
  const held = async (query = '') => (await service.get(`/crypto/transactions/held${query}`)).json;
  const first = await orders.order();
  await orders.pay(first, { amountCents: 100 });
  await service.runJobs();
  await orders.advance('PT6M');
  const second = await orders.order(BOTH_METHODS);
  await orders.advance('PT6M');
  await orders.pay(second);
  await service.runJobs();
  const { orders: listed, total } = await held('?accountId=acme');
  assert.equal(total, 2);
  assert.deepEqual(
    listed.map((order: { transactionId: string; holdReason: string }) => [order.transactionId, order.holdReason]),
    [
      [first.json.transactionId, 'underpaid'],
      [second.json.transactionId, 'quote_expired'],
    ],
  );
  assert.equal((await held('?reason=underpaid&pageSize=1')).totalPages, 1);
  assert.equal((await service.get('/crypto/transactions/held?reason=nonsense')).status, 400);
  assert.match((await service.get('/metrics')).text, /trilho_orders_held\{reason="underpaid"\} 1/);
  for (const order of [first, second]) assert.equal((await act(order, 'reprice')).status, 200);
  assert.equal((await held()).total, 0);
});

test('a payment that was made in time and reported late is served at its price', async () => {
  const order = await orders.order();
  const madeAt = (await service.get('/sandbox/clock')).json.now;
  await orders.advance('PT20M');
  await orders.pay(order, { at: madeAt });
  await fulfilledSoon(order);
});

test('a refund before the crypto is sent ends the order', async () => {
  const order = await orders.order({ settlementSchedule: 'D1' });
  await orders.pay(order);
  await service.runJobs();
  const scheduled = await orders.read(order);
  assert.equal(scheduled.status, 'fulfillment_scheduled');
  await refund(order);
  const pending = await act(order, 'reprice');
  assert.equal(pending.status, 409, 'money that is being refunded buys nothing');
  await service.runJobs();
  const over = await orders.read(order);
  assert.equal(over.endedAs, 'refunded');
  assert.equal(over.status, 'fulfillment_scheduled');
  await orders.advance('P3D');
  assert.equal((await orders.read(order)).transfer, undefined);
});

test('a return by the bank holds the order, or ends it when nothing is left', async () => {
  const order = await orders.order({ settlementSchedule: 'D2' });
  await orders.pay(order);
  await service.post(`/sandbox/charges/${order.json.charge.id}/return`, { amountCents: 10_000 });
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'partially_refunded');
  await service.post(`/sandbox/charges/${order.json.charge.id}/return`, {});
  await service.runJobs();
  assert.equal((await orders.read(order)).endedAs, 'refunded');
});

test('a return by the bank after the crypto was sent changes the charge, not the order', async () => {
  const order = await orders.order();
  await orders.pay(order);
  await fulfilledSoon(order);
  await service.post(`/sandbox/charges/${order.json.charge.id}/return`, {});
  await service.runJobs();
  assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.equal((await service.get(`/charges/${order.json.charge.id}`)).json.state, 'REFUNDED');
});

test('a part refunded holds the order, and the rest is served at a new price', async () => {
  const order = await orders.order({ settlementSchedule: 'D1' });
  await orders.pay(order);
  await service.runJobs();
  await refund(order, { amountCents: 10_000 });
  await service.runJobs();
  const held = await orders.read(order);
  assert.equal(held.holdReason, 'partially_refunded');
  await orders.advance('P6D');
  assert.equal((await orders.read(order)).status, 'fulfillment_scheduled', 'its day has no effect on it');
  const served = await act(order, 'reprice');
  assert.equal(served.json.cost, 441);
  await fulfilledSoon(order);
});

test('a payment after the order has ended is held, and is served at a new price or refunded', async () => {
  const served = await orders.order();
  const returned = await orders.order();
  for (const order of [served, returned]) {
    await act(order, 'cancel');
    await orders.pay(order);
  }
  await service.runJobs();
  for (const order of [served, returned]) {
    const held = await orders.read(order);
    assert.equal(held.holdReason, 'paid_after_end');
    assert.equal(held.endedAs, 'canceled');
  }
  const back = await act(served, 'reprice');
  assert.equal(back.status, 200, back.text);
  assert.equal(back.json.endedAs, undefined);
  await fulfilledSoon(served);
  await refund(returned);
  await service.runJobs();
  const over = await orders.read(returned);
  assert.equal(over.endedAs, 'refunded');
  assert.equal(over.holdReason, undefined);
});

test('a pix of an order ends with its price; one paid in time and reported later is served at that price', async () => {
  const late = await orders.order();
  const inTime = await orders.order();
  await orders.advance('PT4M58S');
  assert.equal((await orders.read(late)).charge.state, 'ACTIVE');
  const { now: paidAt } = (await service.get('/sandbox/clock')).json;
  await orders.advance('PT2S');
  for (const order of [late, inTime]) {
    const { endedAs, charge } = await orders.read(order);
    assert.deepEqual([endedAs, charge.state, charge.pix.status], ['expired', 'EXPIRED', 'EXPIRED']);
  }
  await orders.advance('PT1S');
  await orders.pay(late);
  await orders.pay(inTime, { at: paidAt });
  await service.runJobs();
  assert.equal((await orders.read(late)).holdReason, 'paid_after_end');
  const done = await fulfilledSoon(inTime);
  assert.equal(done['endedAs'], undefined);
  assert.equal(await orders.events(inTime), 'pending_payment expired pending_fulfillment fulfilling fulfilled');
});

test("an expired order does not resume by itself without its wallet, by a person's report, or long after its price", async () => {
  const others = orderDriver(service, 'another');
  const withoutWallet = await others.order();
  const [byHand, inParts, tooLate] = [await orders.order(), await orders.order(), await orders.order()];
  const { now: paidAt } = (await service.get('/sandbox/clock')).json;
  await orders.advance('PT6M');
  const removed = await service.send(`/wallets/${await others.wallet('polygon')}`, { method: 'DELETE' });
  assert.equal(removed.status, 200, removed.text);
  const report = { amountCents: 54_100, paidAt, reference: 'seen-at-the-bank' };
  assert.equal((await service.post(`/charges/${byHand.json.charge.id}/payments`, report)).status, 201);
  await orders.pay(withoutWallet, { at: paidAt });
  await orders.pay(inParts, { at: paidAt, amountCents: 100 });
  await service.runJobs();
  await orders.pay(inParts, { at: paidAt, amountCents: 54_000 });
  await orders.advance('PT1H');
  await orders.pay(tooLate, { at: paidAt });
  await service.runJobs();
  const all = { withoutWallet, byHand, inParts, tooLate };
  const events = Object.entries(all).map(async ([name, order]) => `${name}: ${await orders.events(order)}`);
  assert.deepEqual(
    await Promise.all(events),
    Object.keys(all).map(name => `${name}: pending_payment expired held`),
  );
  for (const order of Object.values(all)) assert.equal((await orders.read(order)).holdReason, 'paid_after_end');
});

test('money that was refunded and paid again counts from the second payment', async () => {
  const order = await orders.order({ settlementSchedule: 'D1' });
  await orders.pay(order);
  await service.runJobs();
  await refund(order, { amountCents: 54_099 });
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'partially_refunded');
  await orders.advance('P20D');
  await orders.pay(order, { amountCents: 54_099 });
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'quote_expired', 'the payer cannot choose the price');
});

test('a payment after a full refund is held too', async () => {
  const order = await orders.order({ settlementSchedule: 'D1' });
  await orders.pay(order);
  await service.runJobs();
  await refund(order);
  await service.runJobs();
  await orders.pay(order);
  await service.runJobs();
  const held = await orders.read(order);
  assert.equal(held.endedAs, 'refunded');
  assert.equal(held.holdReason, 'paid_after_end');
  assert.equal((await act(order, 'reprice')).status, 200);
  await orders.advance('P6D');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('a quote serves one order for good, also when that order has taken another price', async () => {
  const quote = await orders.quote();
  const order = await orders.order({ quoteId: quote.json.id });
  await orders.pay(order, { amountCents: 10_000 });
  await service.runJobs();
  assert.equal((await act(order, 'reprice')).status, 200);
  const again = await orders.order({ quoteId: quote.json.id });
  assert.equal(again.json.transactionId, order.json.transactionId, 'the same request is the same order');
  const other = await orders.order({ quoteId: quote.json.id, settlementSchedule: 'D2' });
  assert.equal(other.status, 422, other.text);
});

test('a boleto counts as paid at its payment and is settled from the day its bank has credited it', async () => {
  const order = await orders.order({
    charge: { customer: { name: 'Ana', document: '52998224725' }, methods: ['boleto'] },
  });
  await service.runJobs();
  await orders.pay(order, { method: 'boleto' });
  await service.runJobs();
  const waiting = await orders.read(order);
  assert.equal(waiting.status, 'pending_fulfillment');
  assert.equal(waiting.holdReason, undefined);
  await orders.advance('P4D');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
});

test('a boleto beside another payment must be credited too', async () => {
  const order = await orders.order({
    charge: { customer: { name: 'Ana', document: '52998224725' }, methods: ['boleto', 'pix'] },
  });
  await orders.pay(order, { amountCents: 1 });
  await orders.pay(order, { method: 'boleto', amountCents: 54_100 });
  await service.runJobs();
  const waiting = await orders.read(order);
  assert.equal(waiting.status, 'pending_fulfillment', 'nothing is sent for uncredited money');
  await orders.advance('P5D');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('a payment cannot be older than its order', async () => {
  const before = (await service.get('/sandbox/clock')).json.now;
  await orders.advance('PT1M');
  const order = await orders.order();
  const early = await orders.pay(order, { at: before });
  assert.equal(early.status, 409, early.text);
});

test('an order to a wallet that was removed is not served again', async () => {
  const made = await service.post('/wallets', {
    accountId: 'acme',
    name: 'Removed',
    network: 'polygon',
    address: '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  });
  const order = await orders.order({ walletId: made.json.id });
  await act(order, 'cancel');
  await orders.pay(order);
  await service.runJobs();
  await service.send(`/wallets/${made.json.id}`, { method: 'DELETE' });
  const refused = await act(order, 'reprice');
  assert.equal(refused.status, 409, refused.text);
  assert.match(refused.json.detail, /removed/);
});

test('a transfer that fails on its chain waits for an operator, who retries it', async () => {
  await orders.fault('arbitrum', { fault: 'reverting' });
  const order = await orders.order({ network: 'arbitrum' });
  await orders.pay(order);
  await orders.advance('PT5M');
  const held = await orders.read(order);
  assert.equal(held.status, 'fulfilling');
  assert.equal(held.holdReason, 'transfer_reverted');
  assert.match(held.lastError, /failed/);
  await orders.fault('arbitrum', { fault: 'none' });
  await orders.advance('P1D');
  assert.equal((await orders.read(order)).holdReason, 'transfer_reverted', 'nothing is sent by itself');
  const again = await act(order, 'retry');
  assert.equal(again.status, 200, again.text);
  assert.equal((await act(order, 'retry')).status, 409);
  const done = await fulfilledSoon(order);
  assert.notEqual((done['transfer'] as { hash: string }).hash, held.transfer.hash);
});

test('the money of a failed transfer can be refunded, and then nothing is sent again', async () => {
  await orders.fault('arbitrum', { fault: 'reverting' });
  const order = await orders.order({ network: 'arbitrum' });
  await orders.pay(order);
  await orders.advance('PT5M');
  await orders.fault('arbitrum', { fault: 'none' });
  const back = await refund(order);
  assert.equal(back.status, 201, back.text);
  const raced = await act(order, 'retry');
  assert.equal(raced.status, 409, raced.text);
  await service.runJobs();
  assert.equal((await orders.read(order)).endedAs, 'refunded');
});

test('after a reorganisation, before or after fulfilment, the same bytes are sent again', async () => {
  const early = await orders.order({ network: 'base', symbol: 'usdc' });
  await orders.pay(early);
  await orders.advance('PT20S');
  assert.ok((await orders.read(early)).status === 'fulfilling');
  const dropped = await orders.fault('base', { reorganise: 100 });
  assert.equal(dropped.json.dropped, 1);
  const done = await fulfilledSoon(early);

  const late = await orders.order({ network: 'bsc' });
  await orders.pay(late);
  await orders.advance('PT8S');
  const before = await orders.read(late);
  assert.equal(before.status, 'fulfilled', JSON.stringify(before));
  assert.equal(before.transfer.state, 'done');
  await orders.fault('bsc', { reorganise: 100 });
  await orders.advance('PT7S');
  assert.equal((await orders.read(late)).holdReason, 'reorganised');
  const mended = await fulfilledSoon(late);
  assert.deepEqual((mended['transfer'] as { hash: string }).hash, before.transfer.hash);
  assert.equal(await orders.events(late), 'pending_payment pending_fulfillment fulfilling fulfilled held resumed');
  assert.ok(done);
});
