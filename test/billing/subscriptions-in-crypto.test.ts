// Subscriptions that buy crypto: each paid cycle is one order at the price of its payment; what no order could be made of is refused with
// its field, or stands at the cycle until it can be.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { guide, requestsIn } from '../harness/guide.ts';
import { ADDRESSES, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

const CRYPTO = { symbol: 'usdt', network: 'polygon', settlementSchedule: 'D0' };
const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  // A Monday.
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

type Subscribed = {
  readonly id: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly orders: OrderDriver;
};

/** 541 reais a month buy usdt on polygon: 100 at the price of the sandbox. */
async function subscribed(plan: object = {}): Promise<Subscribed> {
  const accountId = calls.newAccount();
  const orders = orderDriver(service, accountId);
  const walletId = await orders.wallet('polygon');
  const terms = { accountId, amountCents: 54_100, day: undefined, crypto: CRYPTO, ...plan };
  const { id: planId } = await calls.made('/plans', planBody(terms));
  const { id: customerId } = await calls.newCustomer(accountId);
  const { id } = await calls.made('/subscriptions', { accountId, planId, customerId, walletId });
  await service.runJobs();
  await orders.advance('PT1M');
  return { id, accountId, walletId, orders };
}

async function paid({ id }: Pick<Subscribed, 'id'>, changes: object = {}) {
  const [{ chargeId }] = await calls.cyclesOf(id);
  const answer = await calls.pay(chargeId, changes);
  assert.equal(answer.status, 200, answer.text);
  await service.runJobs();
  return chargeId as string;
}

const textOf = async (url: string) => (await fetch(service.url + url)).text();
const cycleOf = async ({ id }: Pick<Subscribed, 'id'>) => (await calls.cyclesOf(id))[0];
const orderCount = async ({ accountId }: Pick<Subscribed, 'accountId'>) => {
  const [row] = await service.sql<{ count: number }>(
    'select count(*)::int as count from orders where account_id = $1',
    [accountId],
  );
  return row!.count;
};
const faultsOf = ({ status, json }: Awaited<ReturnType<Service['post']>>) => [
  status,
  json.code,
  ...(json.errors ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`),
];

test('a paid cycle is an order at the price of its payment, and it is fulfilled', async () => {
  const one = await subscribed();
  const shown = await calls.read(`/subscriptions/${one.id}`);
  assert.deepEqual([shown.crypto, shown.walletId], [CRYPTO, one.walletId]);
  assert.equal(await orderCount(one), 0);
  const chargeId = await paid(one);
  const cycle = await cycleOf(one);
  assert.equal(cycle.status, 'paid');
  const order = await one.orders.read(cycle.orderId);
  assert.deepEqual(
    [order.quantity, order.cost, order.price, order.chargeId, order.walletId, order.settlementSchedule],
    [100, 541, 5.41, chargeId, one.walletId, 'D0'],
  );
  assert.equal((await calls.read(`/charges/${chargeId}`)).transactionId, cycle.orderId);
  assert.deepEqual(await calls.eventsOf(one.id), ['1 created', '2 charged', '3 paid', '4 ordered']);
  await one.orders.advance('PT10M');
  assert.equal((await one.orders.read(cycle.orderId)).status, 'fulfilled');
  assert.equal(await one.orders.events(cycle.orderId), 'pending_payment pending_fulfillment fulfilling fulfilled');
  const refund = await service.post(`/charges/${chargeId}/refunds`, {});
  assert.deepEqual([refund.status, refund.json.code], [409, 'wrong_state']);
});

test('what is paid late costs more, and buys what the plan says; the fine stays on the charge', async () => {
  const one = await subscribed({ taxes: { fine: 2, interest: 1 } });
  const { dueDay } = await cycleOf(one);
  await calls.moveTo(new Date(Date.parse(`${dueDay}T12:00:00Z`) + 2 * 86_400_000).toISOString());
  const chargeId = await paid(one);
  const cycle = await cycleOf(one);
  assert.equal((await one.orders.read(cycle.orderId)).cost, 541);
  const { payments } = await calls.read(`/charges/${chargeId}`);
  assert.ok(payments[0].amountCents > 55_000);
});

test('a boleto buys at the price of its payment, and is settled from its credit', async () => {
  const one = await subscribed({ methods: ['boleto'] });
  await paid(one, { method: 'boleto' });
  const { orderId } = await cycleOf(one);
  assert.equal((await one.orders.read(orderId)).status, 'pending_fulfillment');
  await one.orders.advance('P3D');
  assert.equal((await one.orders.read(orderId)).status, 'fulfilled');
});

test('a wallet that was removed is no destination: the cycle waits with the reason until there is another', async () => {
  const one = await subscribed({ cycles: 1 });
  assert.equal((await service.send(`/wallets/${one.walletId}`, { method: 'DELETE' })).status, 200);
  await paid(one);
  const waits = await cycleOf(one);
  assert.deepEqual([waits.orderId, waits.orderReason], [undefined, 'walletId is not a wallet of this account']);
  await service.runJobs();
  assert.equal(await orderCount(one), 0);
  assert.deepEqual((await calls.eventsOf(one.id)).slice(2), ['3 paid', '4 completed', '5 order_failed']);
  const unordered = /trilho_subscription_cycles_unordered (\d+)/.exec((await service.get('/metrics')).text);
  assert.equal(unordered?.[1], '1');
  assert.match(await textOf('/dashboard'), /Paid cycles that buy nothing yet/);
  const page = await textOf(`/dashboard/subscriptions/${one.id}`);
  assert.match(page, /usdt on polygon, D0[\s\S]*walletId is not a wallet of this account/);
  const { accountId } = one;
  const other = { accountId, name: 'Other', network: 'polygon', address: ADDRESSES.evm.toLowerCase() };
  const { id: walletId } = await calls.made('/wallets', other);
  const changed = await calls.send('PATCH', `/subscriptions/${one.id}`, { walletId });
  assert.equal(changed.status, 200, changed.text);
  await service.runJobs();
  const cycle = await cycleOf(one);
  assert.deepEqual([cycle.orderReason, (await one.orders.read(cycle.orderId)).walletId], [undefined, walletId]);
});

test('money that went back before buys nothing; a part of it holds the order', async () => {
  const [whole, part] = [await subscribed(), await subscribed()];
  for (const one of [whole, part]) await service.send(`/wallets/${one.walletId}`, { method: 'DELETE' });
  for (const [one, body] of [
    [whole, {}],
    [part, { amountCents: 4_100 }],
  ] as const) {
    const chargeId = await paid(one);
    assert.equal((await service.post(`/charges/${chargeId}/refunds`, body)).status, 201);
    const { accountId } = one;
    const wallet = { accountId, name: 'Other', network: 'polygon', address: ADDRESSES.evm };
    const { id: walletId } = await calls.made('/wallets', wallet);
    assert.equal((await calls.send('PATCH', `/subscriptions/${one.id}`, { walletId })).status, 200);
    await service.runJobs();
  }
  const refunded = await cycleOf(whole);
  assert.deepEqual([refunded.status, refunded.orderReason, await orderCount(whole)], ['refunded', undefined, 0]);
  const { orderId } = await cycleOf(part);
  assert.equal((await part.orders.read(orderId)).holdReason, 'partially_refunded');
  const repriced = await service.post(`/crypto/transactions/${orderId}/reprice`, {});
  assert.deepEqual([repriced.status, repriced.json.cost], [200, 500]);
});

test('a refund before the crypto is claimed ends the order with the cycle', async () => {
  const one = await subscribed({ crypto: { ...CRYPTO, settlementSchedule: 'D2' } });
  const chargeId = await paid(one);
  assert.equal((await service.post(`/charges/${chargeId}/refunds`, {})).status, 201);
  await service.runJobs();
  const { status, orderId } = await cycleOf(one);
  assert.deepEqual([status, (await one.orders.read(orderId)).endedAs], ['refunded', 'refunded']);
});

test('what is missing is not charged by another charge', async () => {
  const one = await subscribed();
  const { chargeId } = await cycleOf(one);
  await calls.pay(chargeId, { amountCents: 10_000 });
  await service.runJobs();
  const rest = await service.post(`/charges/${chargeId}/remainder`, {});
  assert.deepEqual([rest.status, rest.json.code], [409, 'wrong_state']);
  assert.equal(await orderCount(one), 0);
});

test('what no order could be made of is refused, with its field', async () => {
  const accountId = calls.newAccount();
  const newPlan = (changes: object) => service.post('/plans', planBody({ accountId, crypto: CRYPTO, ...changes }));
  assert.deepEqual(faultsOf(await newPlan({ crypto: { ...CRYPTO, symbol: 'btc' } })).slice(0, 2), [
    400,
    'invalid_request',
  ]);
  const wrong = await newPlan({ crypto: { ...CRYPTO, symbol: 'eth', network: 'tron' }, currency: 'USD' });
  assert.deepEqual(faultsOf(wrong), [400, 'invalid_request', 'crypto.network not_on_network', 'currency not_reais']);

  const { id: customerId } = await calls.newCustomer(accountId);
  const orders = orderDriver(service, accountId);
  const other = orderDriver(service, calls.newAccount());
  const [onPolygon, onTron, ofOther] = [
    await orders.wallet('polygon'),
    await orders.wallet('tron'),
    await other.wallet('polygon'),
  ];
  const subscribe = async (plan: object, changes: object = {}) => {
    const { id: planId } = await calls.made('/plans', planBody({ accountId, crypto: CRYPTO, ...plan }));
    return service.post('/subscriptions', { accountId, planId, customerId, ...changes });
  };
  for (const [plan, changes, expected] of [
    [{}, {}, [400, 'invalid_request', 'walletId required']],
    [{ crypto: undefined }, { walletId: onPolygon }, [400, 'invalid_request', 'walletId buys_nothing']],
    [{}, { walletId: UNKNOWN_ID }, [400, 'invalid_request', 'walletId unknown']],
    [{}, { walletId: ofOther }, [400, 'invalid_request', 'walletId unknown']],
    [{}, { walletId: onTron }, [400, 'invalid_request', 'walletId other_network']],
    [{ amountCents: 50 }, { walletId: onPolygon }, [400, 'invalid_request', 'amountCents minimum']],
  ] as const) {
    assert.deepEqual(faultsOf(await subscribe(plan, changes)), expected);
  }
  assert.equal((await calls.read(`/subscriptions?${new URLSearchParams({ accountId })}`)).total, 0);

  const { json: made } = await subscribe({}, { walletId: onPolygon });
  const change = (body: object) => calls.send('PATCH', `/subscriptions/${made.id}`, body);
  const { id: inReais } = await calls.made('/plans', planBody({ accountId }));
  assert.deepEqual(faultsOf(await change({ planId: inReais })), [400, 'invalid_request', 'planId other_crypto']);
  assert.deepEqual(faultsOf(await change({ walletId: onTron })), [400, 'invalid_request', 'walletId other_network']);
  assert.deepEqual(faultsOf(await change({ amountCents: 50 })), [400, 'invalid_request', 'amountCents minimum']);
});

test('the requests of the guide do what it says', async () => {
  const requests = requestsIn(guide('subscriptions.md', 'In crypto'));
  const ids: Record<string, string> = { customerId: (await calls.newCustomer('acme', { separate: true })).id };
  for (const { path, body: text = '' } of requests) {
    const body = JSON.parse(text);
    const known = Object.entries(ids).filter(([name]) => name in body);
    const { id } = await calls.made(path, { ...body, ...Object.fromEntries(known) });
    ids[`${path.slice(1, -1)}Id`] = id;
  }
  const { subscriptionId = '' } = ids;
  await orderDriver(service).advance('PT1M');
  const chargeId = await paid({ id: subscriptionId });
  const { number, status, amountCents, orderId } = await cycleOf({ id: subscriptionId });
  assert.deepEqual([number, status, amountCents], [1, 'paid', 54_100]);
  assert.equal((await calls.read(`/charges/${chargeId}`)).transactionId, orderId);
  const { checkoutUrl } = await calls.read(`/subscriptions/${subscriptionId}`);
  const shown = await textOf(new URL(checkoutUrl, 'http://localhost').pathname);
  assert.match(shown, /Cada pagamento compra USDT na rede Polygon/);
});
