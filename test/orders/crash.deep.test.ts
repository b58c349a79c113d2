// Every verb of an order's life, cut off between every two steps, really killed at one of them, and resumed: one order, one charge,
// each event once, and the crypto moves exactly once on the chain.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, beforeEach, test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import type { Network } from '../../src/chains/asset.ts';
import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { countTransfers } from '../harness/count-transfers.ts';
import { crashAt, crashEverywhere } from '../harness/crash.ts';
import type { OrderCrash } from '../harness/order-crash-at-step.ts';
import { ORDER_VERBS, type OrderNode, type OrderVerb, openOrderNode, type Victim } from '../harness/order-verbs.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { cutOffAfter } from '../harness/steps.ts';

const START = '2026-11-16T12:00:00.000Z';

let service: Service;
let orders: OrderDriver;
/** Runs verbs without a service, at the service's time. */
let otherNode: OrderNode;
before(async () => {
  service = await startService({ now: START });
  orders = orderDriver(service);
  otherNode = await openOrderNode(service.databaseUrl, START);
});
after(async () => {
  await otherNode.close();
  await service.stop();
});
/** No test leaves waiting work to the next. */
beforeEach(async () => {
  await service.runJobs();
  otherNode.deps.clock.set((await service.get('/sandbox/clock')).json.now);
});

/** An order with its own wallet, so that the chain shows what it was paid. */
type Made = Victim & { readonly address: string; readonly symbol: string; readonly network: Network };

async function newWallet(network: Network): Promise<{ id: string; address: string }> {
  const address = addressOf('evm', randomBytes(20));
  const made = await service.post('/wallets', { accountId: 'acme', name: address, network, address });
  assert.equal(made.status, 201, made.text);
  return { id: made.json.id, address };
}

async function order(changes: Record<string, unknown> = {}): Promise<Made> {
  const { symbol = 'usdt', network = 'polygon' } = changes as { symbol?: string; network?: Network };
  const { id, address } = await newWallet(network);
  return made(await orders.order({ walletId: id, ...changes }), { symbol, network, address });
}

function made(answer: Answer, place: Omit<Made, keyof Victim>): Made {
  assert.equal(answer.status, 201, answer.text);
  return { ...place, transactionId: answer.json.transactionId, chargeId: answer.json.charge?.id ?? '' };
}

async function pay({ chargeId }: Victim, changes: Record<string, unknown> = {}): Promise<void> {
  const paid = await service.post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix', ...changes });
  assert.equal(paid.status, 200, paid.text);
}

/** One step only: what follows waits as a job. */
const follow = (victim: Victim) => ORDER_VERBS.follow(otherNode.deps, victim);

/** An order that waits in line. */
async function due(changes: Record<string, unknown> = {}): Promise<Made> {
  const victim = await order(changes);
  await pay(victim);
  await follow(victim);
  assert.ok((await orders.read(victim.transactionId)).waitingSince);
  return victim;
}

/** An order that has a slot and no signature. */
async function claimed(changes: Record<string, unknown> = {}): Promise<Made> {
  const victim = await due(changes);
  await ORDER_VERBS.open(otherNode.deps, victim);
  assert.equal((await orders.read(victim.transactionId)).status, 'fulfilling');
  return victim;
}

/** An order whose transfer was sent. */
async function sent(changes: Record<string, unknown> = {}): Promise<Made> {
  const victim = await due(changes);
  await ORDER_VERBS.claim(otherNode.deps, victim);
  assert.ok((await orders.read(victim.transactionId)).transfer.hash);
  return victim;
}

/** Another node claims the orders in line with this one, so that a verb has only its own steps. */
async function goOn(victim: Victim | undefined): Promise<void> {
  if (victim) await ORDER_VERBS.claim(otherNode.deps, victim);
}

/** One after another: a claim takes every waiting order, also one that another call has just added. */
async function many<V>(count: number, make: () => Promise<V>): Promise<V[]> {
  const made: V[] = [];
  for (let number = 0; number < count; number++) made.push(await make());
  return made;
}

/** Ends a verb after each of its steps, each time on another order, at a moment of the service's time or later. */
async function crashVerb<V extends Victim>(
  verb: OrderVerb,
  prepare: (count: number) => Promise<readonly V[]>,
  { laterMs = 0 } = {},
): Promise<V[]> {
  const moment = () => new Date(otherNode.deps.clock.now().getTime() + laterMs).toISOString();
  return crashEverywhere({
    prepare,
    crash: (victim, step) =>
      cutOffAfter(step, async steps => ORDER_VERBS[verb](await otherNode.depsAt(moment(), steps), victim)),
    kill: (victim, step) => {
      const order: OrderCrash = { verb, step, now: moment(), databaseUrl: service.databaseUrl, victim };
      return crashAt('order-crash-at-step.ts', order);
    },
  });
}

async function count(text: string, id: string): Promise<number> {
  const [row] = await service.sql<{ count: number }>(`select count(*)::int as count from ${text}`, [id]);
  return row!.count;
}

/** How many transfers reached each order's own wallet. */
async function transfersTo(victims: readonly Made[]): Promise<number[]> {
  const { db, deps } = otherNode;
  const networks = [...new Set(victims.map(({ network }) => network))];
  const counted = await Promise.all(networks.map(network => countTransfers({ db, clock: deps.clock }, network)));
  const counts = new Map(networks.map((network, index) => [network, counted[index]!.perDestination]));
  return victims.map(({ network, symbol, address }) => counts.get(network)?.get(`${symbol} ${address}`) ?? 0);
}

type End = { readonly events: string; readonly transfers: number; readonly payouts?: number };

/** Each order is in the expected state with each event once, and the books are right. */
async function assertEnds(victims: readonly Made[], { events, transfers, payouts = transfers }: End): Promise<void> {
  otherNode.deps.clock.set((await service.get('/sandbox/clock')).json.now);
  for (const { transactionId: id } of victims) {
    assert.equal(await orders.events(id), events);
    assert.equal(await count('charges where order_id = $1', id), 1);
    assert.equal(await count('payouts where order_id = $1', id), payouts);
  }
  assert.deepEqual([...new Set(await transfersTo(victims))], [transfers], 'transfers on the chain');
  const wrong = (await checkLedger(otherNode.db, LEDGER_CHECKS)).flatMap(({ differences }) => differences);
  assert.deepEqual(wrong, []);
}

const PAID = 'pending_payment pending_fulfillment';

test('ordering', async () => {
  const wallets = async (number: number) =>
    (await many(number, () => newWallet('polygon'))).map(({ id, address }) => ({
      transactionId: id,
      chargeId: '',
      address,
    }));
  const victims = await crashVerb('create', wallets);
  const ordered: Made[] = [];
  for (const { transactionId: walletId, address } of victims) {
    const repeat = await orders.order({ walletId, externalId: walletId });
    ordered.push(made(repeat, { symbol: 'usdt', network: 'polygon', address }));
    assert.equal(await count('orders where external_id = $1', walletId), 1);
  }
  await service.runJobs();
  await assertEnds(ordered, { events: 'pending_payment', transfers: 0 });
  for (const { chargeId } of ordered) assert.equal((await service.get(`/charges/${chargeId}`)).json.state, 'ACTIVE');
});

test('naming the payer', async () => {
  const victims = await crashVerb('attach', number => many(number, () => order({ charge: undefined })));
  for (const { transactionId } of victims) {
    const repeat = await service.post(`/crypto/transactions/${transactionId}/charge`, CHARGE_PART);
    assert.ok(repeat.status === 201 || repeat.json.code === 'wrong_state', repeat.text);
  }
  await service.runJobs();
  await assertEnds(victims, { events: 'pending_payment', transfers: 0 });
});

test('paying, until the crypto is claimed', async () => {
  let last: Made | undefined;
  const victims = await crashVerb('pay and follow', async () => {
    await goOn(last);
    last = await order();
    return [last];
  });
  for (const { chargeId } of victims) {
    // The payment is reported again.
    const recorded = await service.post(`/charges/${chargeId}/payments`, {
      method: 'pix',
      amountCents: 54_100,
      reference: `paid ${chargeId}`,
    });
    assert.equal(recorded.status, 201, recorded.text);
  }
  await orders.advance('PT10M');
  await assertEnds(victims, { events: `${PAID} fulfilling fulfilled`, transfers: 1 });
});

test('claiming for several at once, and sending: claimed, signed, saved, sent', async () => {
  const others: Made[] = [];
  const victims = await crashVerb('claim', async () => {
    await goOn(others.at(-1));
    others.push(...(await many(2, () => due())));
    return [await due()];
  });
  await orders.advance('PT10M');
  await assertEnds([...victims, ...others], { events: `${PAID} fulfilling fulfilled`, transfers: 1 });
});

test('sending an order that a node claimed and did not sign: signed, saved, sent, seen', async () => {
  const victims = await crashVerb('fulfill', number => many(number, () => claimed()));
  await orders.advance('PT10M');
  await assertEnds(victims, { events: `${PAID} fulfilling fulfilled`, transfers: 1 });
});

test('seeing that its block is deep enough', async () => {
  const victims = await crashVerb('fulfill', number => many(number, () => sent()), { laterMs: 180_000 });
  await orders.advance('PT10M');
  await assertEnds(victims, { events: `${PAID} fulfilling fulfilled`, transfers: 1 });
});

test('making a higher bid', async () => {
  const network = 'arbitrum';
  await orders.fault(network, { fault: 'stalled' });
  const waiting = (number: number) => many(number, () => sent({ network }));
  const victims = await crashVerb('fulfill', waiting, { laterMs: 900_000 });
  for (const { transactionId } of victims) {
    const attempts = await count(
      'payouts p join payout_attempts a on a.payout_id = p.id where order_id = $1',
      transactionId,
    );
    assert.ok(attempts <= 2);
  }
  await orders.fault(network, { fault: 'none' });
  await orders.advance('PT1H');
  await assertEnds(victims, { events: `${PAID} fulfilling fulfilled`, transfers: 1 });
});

test('accepting a new price', async () => {
  const underpaid = async (number: number) => {
    const victims = await many(number, order);
    for (const victim of victims) await pay(victim, { amountCents: 10_000 });
    await service.runJobs();
    return victims;
  };
  const victims = await crashVerb('reprice', underpaid);
  for (const { transactionId } of victims) {
    const repeat = await service.post(`/crypto/transactions/${transactionId}/reprice`, {});
    assert.ok(repeat.status === 200 || repeat.json.code === 'wrong_state', repeat.text);
  }
  await orders.advance('PT10M');
  await assertEnds(victims, { events: `${PAID} held repriced fulfilling fulfilled`, transfers: 1 });
});

test('retrying a failed transfer', async () => {
  const network = 'bsc';
  const reverted = async (number: number) => {
    // The order that was resumed earlier is sent without a fault.
    await service.runJobs();
    await orders.fault(network, { fault: 'reverting' });
    const victims = await many(number, () => claimed({ network }));
    await orders.advance('PT10M');
    await orders.fault(network, { fault: 'none' });
    otherNode.deps.clock.set((await service.get('/sandbox/clock')).json.now);
    return victims;
  };
  const victims = await crashVerb('retry', reverted);
  for (const { transactionId } of victims) {
    const repeat = await service.post(`/crypto/transactions/${transactionId}/retry`, {});
    assert.ok(repeat.status === 200 || repeat.json.code === 'wrong_state', repeat.text);
  }
  await orders.advance('PT10M');
  await assertEnds(victims, {
    events: `${PAID} fulfilling held resumed fulfilled`,
    transfers: 1,
    payouts: 2,
  });
});

test('voiding: asked for, signed, saved, sent, seen', async () => {
  const network = 'arbitrum';
  await orders.fault(network, { fault: 'stalled' });
  const asked = await crashVerb('void', number => many(number, () => sent({ network })));
  for (const { transactionId } of asked) {
    const repeat = await service.post(`/crypto/transactions/${transactionId}/void`, {});
    assert.equal(repeat.status, 200, repeat.text);
  }
  const voiding = await crashVerb('fulfill', async number => {
    const victims = await many(number, () => sent({ network }));
    for (const victim of victims) await ORDER_VERBS.void(otherNode.deps, victim);
    return victims;
  });
  // Attempts that were sent and not yet voided are outbid, so they are not mined.
  await service.runJobs();
  await orders.fault(network, { fault: 'none' });
  await orders.advance('PT1H');
  await assertEnds([...asked, ...voiding], { events: `${PAID} fulfilling held`, transfers: 0, payouts: 1 });
  for (const { transactionId } of [...asked, ...voiding]) {
    assert.equal((await orders.read(transactionId)).holdReason, 'payout_voided');
  }
});

test('seeing finally that another amount arrived', async () => {
  const network = 'arbitrum';
  await orders.fault(network, { fault: 'keeps_part' });
  const victims = await crashVerb('fulfill', number => many(number, () => sent({ network })), { laterMs: 180_000 });
  await orders.fault(network, { fault: 'none' });
  await orders.advance('PT10M');
  await assertEnds(victims, { events: `${PAID} fulfilling held`, transfers: 1 });
});

test('canceling', async () => {
  const victims = await crashVerb('cancel', async number => {
    const ordered = await many(number, order);
    await service.runJobs();
    return ordered;
  });
  for (const { transactionId } of victims) {
    const repeat = await service.post(`/crypto/transactions/${transactionId}/cancel`, {});
    assert.equal(repeat.status, 200, repeat.text);
    assert.equal(repeat.json.endedAs, 'canceled');
  }
  await service.runJobs();
  await assertEnds(victims, { events: 'pending_payment canceled', transfers: 0 });
});

test('timers: the end of a price, the settlement day, the next look', async () => {
  const scheduled: Made[] = [];
  const victims = await crashVerb(
    'sweep',
    async number => {
      const waiting = await many(number, () => order({ settlementSchedule: 'D1' }));
      for (const victim of waiting) {
        await pay(victim);
        await follow(victim);
      }
      scheduled.push(...waiting);
      return many(number, () => order({ charge: undefined }));
    },
    // A sweep takes the due timers of every order, so each time there are new ones.
    { laterMs: 3 * 86_400_000 },
  );
  await orders.advance('P3D');
  for (const { transactionId } of victims) assert.equal(await orders.events(transactionId), 'pending_payment expired');
  await assertEnds(scheduled, { events: `${PAID} fulfillment_scheduled fulfilling fulfilled`, transfers: 1 });
});

// The last test of the file, because its orders stay in a bad state.
test('an order that is sent first and saved afterwards is paid twice, so this file can fail', async () => {
  const victims = await crashVerb('send then save', number =>
    many(number, () => claimed({ network: 'base', symbol: 'usdc' })),
  );
  for (const victim of victims) await ORDER_VERBS['send then save'](otherNode.deps, victim);
  otherNode.deps.clock.advanceMs(60_000);
  const counts = await transfersTo(victims);
  assert.ok(counts.includes(2), counts.join(' '));
});
