// Where the crypto of a subscription may go, and when: keys that may not order, wallets that may not receive, and prices that fail. The cycle
// is paid in any case, and has one order once it can be made.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Wallet } from 'ethers';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { noPrice, type PriceSource } from '../../src/prices/price.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { runCommand } from '../harness/commands.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

const CRYPTO = { symbol: 'usdt', network: 'polygon', settlementSchedule: 'D0' };

/** Reais for one usdt; undefined while the source does not answer. */
let price: string | undefined = '5.41';
const prices: PriceSource = {
  name: 'market',
  price: async (symbol, currency, now) => {
    if (price === undefined) throw noPrice(symbol, currency);
    return tablePrices({ reais: { usdt: price }, rates: {} }).price(symbol, currency, now);
  },
};

/** Wallets need an approval. */
let service: Service;
/** As the service was before that was set. */
let earlier: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00.000Z', prices, env: { TRILHO_WALLET_APPROVAL: 'on' } });
  earlier = await startService({ beside: service, prices, env: { TRILHO_WALLET_APPROVAL: 'off' } });
  calls = subscriptionCalls(service);
});
after(async () => {
  await earlier.stop();
  await service.stop();
});

const faultsOf = ({ status, json }: Answer) => [
  status,
  json.code,
  ...(json.errors ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`),
];

async function newWallet(accountId: string): Promise<string> {
  const { address } = Wallet.createRandom();
  return (await calls.made('/wallets', { accountId, name: 'Maria', network: 'polygon', address })).id;
}
async function approve(walletId: string): Promise<void> {
  assert.equal((await service.post(`/wallets/${walletId}/approve`, {})).status, 200);
}
const block = (verb: 'block' | 'unblock', walletId: string) =>
  runCommand(walletsCommand, { DATABASE_URL: service.databaseUrl }, [verb, walletId]);

/** What a subscription of 541 reais a month in usdt needs beside its wallet. */
async function terms() {
  const accountId = calls.newAccount();
  const plan = { accountId, amountCents: 54_100, day: undefined, crypto: CRYPTO };
  const { id: planId } = await calls.made('/plans', planBody(plan));
  const { id: customerId } = await calls.newCustomer(accountId);
  return { accountId, planId, customerId };
}

/** One with a charge, to an approved wallet. */
async function subscribed() {
  const asked = await terms();
  const walletId = await newWallet(asked.accountId);
  await approve(walletId);
  const { id } = await calls.made('/subscriptions', { ...asked, walletId });
  await orderDriver(service).advance('PT1M');
  return { id: id as string, walletId, accountId: asked.accountId };
}

const cycleOf = async (id: string) => (await calls.cyclesOf(id))[0];
async function paid(id: string): Promise<void> {
  const answer = await calls.pay((await cycleOf(id)).chargeId);
  assert.equal(answer.status, 200, answer.text);
  await service.runJobs();
}
async function orderCount(accountId: string): Promise<number> {
  const [row] = await service.sql<{ count: number }>('select count(*)::int from orders where account_id = $1', [
    accountId,
  ]);
  return row!.count;
}
/** Beyond the time after which the order of a cycle is tried again. */
async function later(): Promise<void> {
  await orderDriver(service).advance('PT6M');
  await service.runJobs();
}
/** A paid cycle without an order, and why. */
async function assertWaits(id: string, accountId: string, reason: RegExp): Promise<void> {
  const { status, orderId, orderReason } = await cycleOf(id);
  assert.deepEqual([status, orderId, await orderCount(accountId)], ['paid', undefined, 0]);
  assert.match(orderReason, reason);
  const failures = (await calls.eventsOf(id)).filter(event => event.endsWith('order_failed'));
  assert.equal(failures.length, 1, 'one event for one reason');
}
async function assertOrdered(id: string, accountId: string) {
  const { status, orderId, orderReason } = await cycleOf(id);
  assert.deepEqual([status, orderReason, await orderCount(accountId)], ['paid', undefined, 1]);
  return orderDriver(service).read(orderId);
}

test('without a price the cycle is paid all the same, and its one order follows at the price of then', async () => {
  const { id, accountId } = await subscribed();
  price = undefined;
  await paid(id);
  await assertWaits(id, accountId, /price/i);
  await later();
  await assertWaits(id, accountId, /price/i);
  price = '5.00';
  await later();
  const { quantity, cost } = await assertOrdered(id, accountId);
  assert.deepEqual([quantity, cost], [108.2, 541]);
  price = '5.41';
  await later();
  await assertOrdered(id, accountId);
  assert.deepEqual((await calls.eventsOf(id)).slice(2), ['3 paid', '4 order_failed', '5 ordered']);
});

test('without a price no subscription in crypto is made', async () => {
  const asked = await terms();
  const walletId = await newWallet(asked.accountId);
  await approve(walletId);
  price = undefined;
  const refused = await service.post('/subscriptions', { ...asked, walletId });
  price = '5.41';
  assert.deepEqual(faultsOf(refused), [503, 'price_unavailable']);
  assert.equal((await service.post('/subscriptions', { ...asked, walletId })).status, 201);
});

test('a wallet that is blocked is refused, and a paid cycle waits until it is unblocked', async () => {
  const { id, accountId, walletId } = await subscribed();
  assert.equal((await block('block', walletId)).code, 0);
  const { planId, customerId } = await calls.read(`/subscriptions/${id}`);
  const another = await service.post('/subscriptions', { accountId, planId, customerId, walletId });
  assert.deepEqual(faultsOf(another), [422, 'wallet_blocked']);
  await paid(id);
  await assertWaits(id, accountId, /does not send to this wallet/);
  await later();
  await assertWaits(id, accountId, /does not send to this wallet/);
  assert.equal((await block('unblock', walletId)).code, 0);
  await later();
  assert.equal((await assertOrdered(id, accountId)).walletId, walletId);
});

test('a wallet without its approval is refused, for a new subscription and for a change', async () => {
  const { id, accountId } = await subscribed();
  const { planId, customerId } = await calls.read(`/subscriptions/${id}`);
  const walletId = await newWallet(accountId);
  const asked = { accountId, planId, customerId, walletId };
  const expected = [422, 'order_refused', 'walletId not_approved'];
  assert.deepEqual(faultsOf(await service.post('/subscriptions', asked)), expected);
  assert.deepEqual(faultsOf(await calls.send('PATCH', `/subscriptions/${id}`, { walletId })), expected);
  await approve(walletId);
  assert.equal((await service.post('/subscriptions', asked)).status, 201);
  assert.equal((await calls.send('PATCH', `/subscriptions/${id}`, { walletId })).status, 200);
});

test('where approvals are required later, a paid cycle waits for that of its wallet', async () => {
  const asked = await terms();
  const walletId = await newWallet(asked.accountId);
  const made = await earlier.post('/subscriptions', { ...asked, walletId });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  await orderDriver(service).advance('PT1M');
  await paid(id);
  await assertWaits(id, asked.accountId, /is not approved/);
  await approve(walletId);
  await later();
  assert.equal((await assertOrdered(id, asked.accountId)).walletId, walletId);
});

test('a key that may not order names no wallet, and changes the rest', async t => {
  // Only in live a key has scopes.
  const live = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => live.stop());
  const { text } = await live.makeKey('acme', ['subscriptions:read', 'subscriptions:write']);
  const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
  const send = (method: string, path: string, body: object) =>
    live.send(path, { method, headers, body: JSON.stringify(body) });
  const { id: customerId } = (
    await live.post('/customers', { accountId: 'acme', name: 'Maria da Silva', document: '52998224725' })
  ).json;
  const { id: planId } = (await send('POST', '/plans', planBody({ accountId: 'acme', day: undefined }))).json;
  const asked = { accountId: 'acme', planId, customerId };
  const walletId = customerId;
  const { json: made } = await send('POST', '/subscriptions', asked);
  for (const answer of [
    await send('POST', '/subscriptions', { ...asked, walletId }),
    await send('PATCH', `/subscriptions/${made.id}`, { walletId }),
  ]) {
    assert.deepEqual([answer.status, answer.json.code], [403, 'missing_scope']);
    assert.match(answer.json.detail, /transactions:write/);
  }
  assert.equal((await send('PATCH', `/subscriptions/${made.id}`, { amountCents: 5_000 })).status, 200);
});
