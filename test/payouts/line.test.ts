// The line of a network: orders that are due take slots in the order in which they came, as far as the window of the sender, its
// funds and a check of the transfer allow.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

const WINDOW = 3;
/** Networks to which tests give a fault. */
const FAULTY = ['polygon', 'arbitrum', 'base', 'tron'] as const;
const MAX_WAIT_MS = 60_000;
const REFUSAL = 'insufficient funds for gas * price + value';

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
/** The answer of the nodes to every broadcast, and of the signer to every signature, while it is set. */
let refusal: { broadcast?: string; sign?: string } = {};
let lookups = 0;
/** The asset of which senders have nothing. */
let lacking: string | undefined;
/** An address, and the result of a check of transfers to it. */
let unclear: { readonly to: string; readonly message?: string } | undefined;
before(async () => {
  sandbox = await startPayoutService(chain => ({
    ...chain,
    window: WINDOW,
    ...(chain.network === 'tron' && { maxLookupWaitMs: MAX_WAIT_MS }),
    funds: async (sender, symbol) => {
      const found = await chain.funds(sender, symbol);
      return found && symbol === lacking ? { ...found, asset: 0n } : found;
    },
    lookup: (...asked) => {
      lookups++;
      return chain.lookup(...asked);
    },
    check: async intent => {
      if (intent.to !== unclear?.to) return chain.check(intent);
      return { kind: 'unknown', ...(unclear.message !== undefined && { message: unclear.message }) };
    },
    broadcast: async attempt =>
      refusal.broadcast === undefined ? chain.broadcast(attempt) : { isSent: false, message: refusal.broadcast },
    sign: async (...asked) =>
      refusal.sign === undefined ? chain.sign(...asked) : { kind: 'refused', message: refusal.sign },
  }));
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});
beforeEach(async () => {
  [refusal, lacking, unclear] = [{}, undefined, undefined];
  for (const network of FAULTY) await orders.fault(network, { fault: 'none' });
});

async function assertFulfilled(order: Answer): Promise<void> {
  const done = await orders.read(order);
  assert.deepEqual([done.status, done.holdReason, done.lastError], ['fulfilled', undefined, undefined]);
}

async function paidOrders(count: number, network: string): Promise<Answer[]> {
  const made: Answer[] = [];
  for (let index = 0; index < count; index++) made.push(await sandbox.paid({ network }));
  return made;
}

test('orders beyond the window wait, can be refunded in the meantime, and are served in order when slots are free', async () => {
  await orders.fault('polygon', { fault: 'stalled' });
  const made = await paidOrders(WINDOW + 3, 'polygon');
  const views = await Promise.all(made.map(order => orders.read(order)));
  assert.deepEqual(
    views.map(({ status }) => status),
    [...Array(WINDOW).fill('fulfilling'), ...Array(3).fill('pending_fulfillment')],
  );
  assert.ok(views.slice(WINDOW).every(({ waitingSince }) => waitingSince !== undefined));
  const [leaves] = made.slice(WINDOW) as [Answer];
  assert.equal((await service.post(`/charges/${leaves.json.charge.id}/refunds`, {})).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(leaves)).endedAs, 'refunded');
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT30M');
  const served = made.filter(order => order !== leaves);
  for (const order of served) await assertFulfilled(order);
  const nonces = await Promise.all(served.map(async order => (await sandbox.payouts(order))[0]!.nonce));
  assert.deepEqual(
    nonces,
    nonces.toSorted((a, b) => a - b),
  );
  assert.deepEqual(await sandbox.payouts(leaves), []);
});

test('a payee to whom a transfer would fail takes no slot and blocks no other, and is checked again', async () => {
  await orders.fault('arbitrum', { fault: 'refusing' });
  const order = await sandbox.paid({ network: 'arbitrum' });
  const held = await orders.read(order);
  assert.deepEqual([held.status, held.holdReason], ['pending_fulfillment', 'transfer_refused']);
  assert.match(held.lastError, /would revert/);
  assert.deepEqual(await sandbox.payouts(order), []);
  const refused = await sandbox.act(order, 'retry');
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /would revert/);
  await orders.advance('PT12M');
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment held', 'it is held once');
  const other = await sandbox.paid({ network: 'arbitrum' });
  const retried = await sandbox.paid({ network: 'arbitrum' });
  assert.equal((await service.post(`/charges/${other.json.charge.id}/refunds`, {})).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(other)).endedAs, 'refunded');
  await orders.fault('arbitrum', { fault: 'none' });
  const next = await sandbox.paid({ network: 'arbitrum' });
  assert.equal((await orders.read(next)).status, 'fulfilling', 'those behind it go on at once');
  assert.equal((await sandbox.act(retried, 'retry')).status, 200);
  await service.runJobs();
  assert.equal((await orders.read(retried)).status, 'fulfilling', 'a retry asks at once');
  await orders.advance('PT10M');
  for (const each of [order, retried, next]) await assertFulfilled(each);
  assert.deepEqual(await sandbox.payouts(other), []);
});

test('an order that is retried, refused and then partly refunded is not sent its full amount', async () => {
  await orders.fault('arbitrum', { fault: 'reverting' });
  const order = await sandbox.paid({ network: 'arbitrum' });
  await orders.advance('PT1H');
  assert.equal((await orders.read(order)).holdReason, 'transfer_reverted');
  await orders.fault('arbitrum', { fault: 'none' });
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await orders.fault('arbitrum', { fault: 'refusing' });
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'transfer_refused');
  const refund = await service.post(`/charges/${order.json.charge.id}/refunds`, { amountCents: 100 });
  assert.equal(refund.status, 201, refund.text);
  await service.runJobs();
  await orders.fault('arbitrum', { fault: 'none' });
  await orders.advance('PT10M');
  assert.equal((await orders.read(order)).holdReason, 'partially_refunded');
  assert.equal((await sandbox.payouts(order)).length, 1);
});

for (const [about, address, message] of [
  ['nodes do not answer about', '0xde709f2102306220921060314715629080e2fb77', undefined],
  [
    'nodes answer about with an unclear message',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    'own: request timed out',
  ],
] as const) {
  test(`payees that ${about} do not delay those behind them`, async () => {
    const body = { accountId: 'acme', name: 'Unclear', network: 'arbitrum', address };
    const { json, text } = await service.post('/wallets', body);
    assert.ok(json.id, text);
    unclear = { to: json.address, ...(message !== undefined && { message }) };
    const first: Answer[] = [];
    for (let index = 0; index < WINDOW; index++) {
      first.push(await sandbox.paid({ network: 'arbitrum', walletId: json.id }));
    }
    const behind = await sandbox.paid({ network: 'arbitrum' });
    await orders.advance('PT2M');
    await assertFulfilled(behind);
    for (const order of first) {
      const { status, holdReason, lastError } = await orders.read(order);
      const expected = ['pending_fulfillment', undefined, message ?? 'The chain does not answer.'];
      assert.deepEqual([status, holdReason, lastError], expected);
      assert.deepEqual(await sandbox.payouts(order), []);
    }
    unclear = undefined;
    await orders.advance('PT5M');
    for (const order of first) await assertFulfilled(order);
  });
}

test('an empty sender takes no slot; the order goes on by itself when there are funds', async () => {
  await orders.fault('base', { fault: 'empty' });
  const first = await sandbox.paid({ network: 'base', symbol: 'usdc' });
  const second = await sandbox.paid({ network: 'base', symbol: 'usdc' });
  await orders.advance('PT5M');
  for (const order of [first, second]) {
    const held = await orders.read(order);
    assert.deepEqual([held.status, held.holdReason], ['pending_fulfillment', 'no_funds']);
    assert.match(held.lastError, /has 0 usdc and needs/);
    assert.deepEqual(await sandbox.payouts(order), []);
  }
  await orders.fault('base', { fault: 'none' });
  await orders.advance('PT30M');
  await assertFulfilled(first);
  await assertFulfilled(second);
  assert.equal(await orders.events(first), 'pending_payment pending_fulfillment held resumed fulfilling fulfilled');
});

test('the answer of nodes to a broadcast is shown to the operator, and proves nothing', async () => {
  refusal = { broadcast: REFUSAL };
  const order = await sandbox.paid({ network: 'tron' });
  await orders.advance('PT1M');
  const waiting = await orders.read(order);
  assert.deepEqual([waiting.status, waiting.lastError], ['fulfilling', REFUSAL]);
  refusal = {};
  await orders.advance('PT2H');
  await assertFulfilled(order);
  assert.equal((await sandbox.payouts(order)).length, 1);
});

test('a signer that refuses leaves the slot open with its reason', async () => {
  refusal = { sign: 'the password is wrong' };
  const order = await sandbox.paid({ network: 'tron' });
  await orders.advance('PT1M');
  const waiting = await orders.read(order);
  assert.deepEqual(
    [waiting.status, waiting.transfer.state, waiting.lastError],
    ['fulfilling', 'open', 'the password is wrong'],
  );
  refusal = {};
  await orders.advance('PT2H');
  await assertFulfilled(order);
});

test('each network has its own queues', async () => {
  await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT1M');
  const names = await service.sql<{ name: string }>(`select distinct name from pgboss.job where name like '%.bsc'`);
  assert.deepEqual(names.map(({ name }) => name).sort(), ['order.claim.bsc', 'payout.advance.bsc']);
});

test('however many orders wait for funds of one asset, orders of another are served', async () => {
  lacking = 'usdt';
  const first = await sandbox.paid({ network: 'arbitrum' });
  assert.equal((await orders.read(first)).holdReason, 'no_funds');
  // Twice as many as are read in one round, all of them earlier.
  await service.sql(
    `insert into orders
     select (jsonb_populate_record(o, jsonb_build_object(
              'id', gen_random_uuid(), 'charge_id', null, 'waits_since', o.waits_since - interval '1 minute'))).*
       from orders o, generate_series(1, 250) where id = $1`,
    [first.json.transactionId],
  );
  const other = await sandbox.paid({ network: 'arbitrum', symbol: 'usdc' });
  assert.equal((await orders.read(other)).status, 'fulfilling');
  await service.sql(`delete from orders where network = 'arbitrum' and charge_id is null`);
  lacking = undefined;
  await orders.advance('PT1H');
  await assertFulfilled(first);
});

test('an open payout is looked up at least as often as its chain requires', async () => {
  await orders.fault('tron', { fault: 'stalled' });
  const order = await sandbox.paid({ network: 'tron' });
  lookups = 0;
  await orders.advance('PT20M');
  const [row] = await service.sql<{ wait_ms: number }>(
    `select extract(epoch from next_look_at - updated_at)::float8 * 1000 as wait_ms from payouts where order_id = $1`,
    [order.json.transactionId],
  );
  assert.ok(lookups > 20, 'twenty minutes have more than twenty lookups');
  assert.ok(row && row.wait_ms > 0 && row.wait_ms <= MAX_WAIT_MS);
  await orders.fault('tron', { fault: 'none' });
  await orders.advance('PT1H');
  await assertFulfilled(order);
});

test('an order that is due for another check waits for a slot while the clock moves', async () => {
  const body = {
    accountId: 'acme',
    name: 'Later',
    network: 'base',
    address: '0x8617e340b3d01fa5f11f306f4090fd50e238070d',
  };
  const { json, text } = await service.post('/wallets', body);
  assert.ok(json.id, text);
  unclear = { to: json.address };
  const first = await sandbox.paid({ network: 'base', symbol: 'usdc', walletId: json.id });
  await orders.fault('base', { fault: 'stalled' });
  for (let index = 0; index < WINDOW; index++) await sandbox.paid({ network: 'base', symbol: 'usdc' });
  await orders.advance('PT2M');
  unclear = undefined;
  await orders.fault('base', { fault: 'none' });
  await orders.advance('PT30M');
  await assertFulfilled(first);
});
