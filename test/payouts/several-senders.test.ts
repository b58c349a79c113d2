// Several senders of one network take slots at the same time, each with its own nonces. One that is halted, doubted or poor does not
// stop the others, but no other sender takes an order that it may have paid.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import type { Network } from '../../src/chains/asset.ts';
import type { Check, SlotCounts } from '../../src/chains/chain.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

const WINDOW = 2;
const RICH = 10n ** 30n;
const addresses = (kind: 'evm' | 'tron') =>
  [1, 2, 3].map(byte => addressOf(kind, Buffer.alloc(20, byte))) as [string, string, string];
const EVM = addresses('evm');
const TRON = addresses('tron');
const sendersOf = (network: Network) => (network === 'tron' ? TRON : EVM);
const [A, B, C] = EVM;

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
/** Smallest units that a sender has of the asset, and of the coin; plenty by default. */
let asset: Record<string, bigint> = {};
let coin: Record<string, bigint> = {};
let check: (sender: string) => Check = () => ({ kind: 'ready' });
/** Slots of a sender that a node counts and the books never gave out. */
let foreign: Record<string, bigint> = {};
/** A sender for which no node counts anything. */
let uncounted: string | undefined;
const given = new Map<string, bigint>();

before(async () => {
  sandbox = await startPayoutService(
    chain => ({
      ...chain,
      window: WINDOW,
      activeSenders: sendersOf(chain.network),
      funds: async (sender, symbol) => {
        const found = await chain.funds(sender, symbol);
        return found && { worstFee: found.worstFee, asset: asset[sender] ?? RICH, coin: coin[sender] ?? RICH };
      },
      check: async intent => check(intent.sender),
      ...(chain.network === 'base' && {
        slotCounts: async (sender): Promise<SlotCounts> => {
          const own = given.get(sender) ?? 0n;
          const one = { provider: 'one', head: 1n, mined: own, pooled: own + (foreign[sender] ?? 0n) };
          return { quorum: 1, said: sender === uncounted ? [] : [one] };
        },
        usedSlots: async (sender: string) => given.get(sender) ?? 0n,
        broadcast: async (attempt, sender = '') => {
          given.set(sender, (given.get(sender) ?? 0n) + 1n);
          return chain.broadcast(attempt, sender);
        },
      }),
    }),
    sendersOf,
  );
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});
beforeEach(() => {
  [asset, coin, foreign, uncounted, check] = [{}, {}, {}, undefined, () => ({ kind: 'ready' })];
});

/** Orders that are paid before any job of theirs is run. */
async function paidTogether(count: number, changes: Record<string, unknown>): Promise<Answer[]> {
  const made: Answer[] = [];
  for (let index = 0; index < count; index++) made.push(await orders.order(changes));
  for (const order of made) await orders.pay(order);
  await service.runJobs();
  return made;
}

async function senderOf(order: Answer): Promise<string | undefined> {
  return (await sandbox.payouts(order)).at(-1)?.sender;
}

async function assertFulfilled(made: readonly Answer[]): Promise<void> {
  for (const order of made) assert.equal((await orders.read(order)).status, 'fulfilled');
}

for (const network of ['polygon', 'tron'] as const) {
  test(`orders on ${network} take the slots of all senders, each with its own nonces, and wait only when none is free`, async () => {
    await orders.fault(network, { fault: 'stalled' });
    const made = await paidTogether(3 * WINDOW + 1, { network });
    const slots = await Promise.all(made.map(async order => (await sandbox.payouts(order))[0]));
    assert.deepEqual(
      slots.flatMap(slot => (slot ? [`${slot.sender} ${slot.nonce}`] : [])).toSorted(),
      sendersOf(network)
        .flatMap(sender => [0, 1].map(nonce => `${sender} ${nonce}`))
        .toSorted(),
    );
    assert.equal(slots.at(-1), undefined, 'the last in line waits');
    await orders.fault(network, { fault: 'none' });
    await orders.advance('PT30M');
    await assertFulfilled(made);
    assert.equal(await sandbox.transfers(network), made.length);
    const { json } = await service.get('/chains');
    const shown = json.chains.find((one: { network: string }) => one.network === network).senders;
    assert.deepEqual(
      shown.map(({ address, takesSlots }: Record<string, unknown>) => [address, takesSlots]),
      sendersOf(network).map(sender => [sender, true]),
    );
  });
}

test('a sender without funds, without coin for fees, or blocked by the token leaves orders to another', async () => {
  asset = { [A]: 0n };
  coin = { [C]: 0n };
  const [one, two] = await paidTogether(2, { network: 'arbitrum' });
  assert.deepEqual([await senderOf(one!), await senderOf(two!)], [B, B]);
  await orders.advance('PT30M');
  [asset, coin] = [{}, {}];
  check = sender => (sender === B ? { kind: 'ready' } : { kind: 'refused', reason: 'blocked', message: 'blocked' });
  const [three] = await paidTogether(1, { network: 'arbitrum' });
  assert.equal(await senderOf(three!), B);
  await orders.advance('PT30M');
  await assertFulfilled([one!, two!, three!]);
});

test('a payee that is refused for every sender is held once, and those behind it continue', async () => {
  check = () => ({ kind: 'refused', reason: 'would_revert', message: 'it would revert' });
  const [order] = await paidTogether(1, { network: 'arbitrum' });
  assert.equal((await orders.read(order!)).holdReason, 'transfer_refused');
  assert.equal((await sandbox.act(order!, 'retry')).status, 409);
  check = () => ({ kind: 'ready' });
  const [next] = await paidTogether(1, { network: 'arbitrum' });
  assert.ok(await senderOf(next!));
  await orders.advance('PT30M');
  await assertFulfilled([order!, next!]);
});

test('an order that no sender can pay alone reserves the funds of the richest, and the others serve those behind it', async () => {
  const units = BigInt(Math.round((await orders.quote({ network: 'bsc' })).json.quantity * 100)) * 10n ** 16n;
  asset = { [A]: units, [B]: 2n * units, [C]: 0n };
  const [large] = await paidTogether(1, { network: 'bsc', cost: 5_410 });
  assert.equal((await orders.read(large!)).holdReason, 'no_funds');
  const [small] = await paidTogether(1, { network: 'bsc', cost: 270 });
  assert.equal(await senderOf(small!), A);
  asset = { [A]: 0n, [B]: 2n * units, [C]: 0n };
  const [behind] = await paidTogether(1, { network: 'bsc', cost: 270 });
  assert.equal(await senderOf(behind!), undefined, 'it does not overtake the large one');
  asset = { [A]: 0n, [B]: 20n * units, [C]: 0n };
  await orders.advance('PT30M');
  await assertFulfilled([large!, small!, behind!]);
  assert.deepEqual([await senderOf(large!), await senderOf(behind!)], [B, B]);
});

test('while a sender is halted the others serve only orders that were created after the halt, none that it may have paid', async () => {
  asset = { [B]: 0n, [C]: 0n };
  await orders.fault('ethereum', { fault: 'foreign_use' });
  const [taken] = await paidTogether(1, { network: 'ethereum' });
  await orders.fault('ethereum', { fault: 'none' });
  asset = { [A]: 0n, [B]: 0n, [C]: 0n };
  const [older] = (await paidTogether(1, { network: 'ethereum' })) as [Answer];
  await orders.advance('PT30M');
  assert.equal((await orders.read(taken!)).holdReason, 'slot_taken');
  assert.equal((await orders.read(older)).holdReason, 'no_funds');
  asset = {};
  await orders.advance('PT30M');
  assert.equal(await senderOf(older), undefined);
  assert.match((await orders.read(older)).lastError, /trilho ledger check --chains/);
  const [newer] = await paidTogether(1, { network: 'ethereum' });
  assert.ok([B, C].includes((await senderOf(newer!)) ?? ''));
  await orders.advance('PT30M');
  await assertFulfilled([newer!]);
  assert.equal(await senderOf(older), undefined);
  const resumed = await service.post('/payouts/senders/resume', { network: 'ethereum', sender: A });
  assert.equal(resumed.status, 200, resumed.text);
  await orders.advance('PT30M');
  await assertFulfilled([older]);
});

test('while the chain may show more of a sender than the books, the others take only later orders', async () => {
  const older = await orders.order({ network: 'base', symbol: 'usdc' });
  await orders.advance('PT5S');
  foreign = { [B]: 1n };
  await orders.pay(older);
  await service.runJobs();
  assert.equal(await senderOf(older), undefined);
  assert.match((await orders.read(older)).lastError, /waits in the pool of one/);
  await orders.advance('PT5S');
  const [newer] = await paidTogether(1, { network: 'base', symbol: 'usdc' });
  assert.ok([A, C].includes((await senderOf(newer!)) ?? ''));
  foreign = {};
  await orders.advance('PT30M');
  await assertFulfilled([older, newer!]);
});

test('an order that a sender may have paid in slots that no node counts now is not paid by another; later orders continue', async () => {
  const older = await orders.order({ network: 'base', symbol: 'usdc' });
  await orders.advance('PT5S');
  uncounted = B;
  await orders.pay(older);
  await service.runJobs();
  assert.equal(await senderOf(older), undefined, 'B may have paid it in a database that went back');
  assert.match((await orders.read(older)).lastError, /does not answer/);
  await orders.advance('PT5S');
  const [newer] = await paidTogether(1, { network: 'base', symbol: 'usdc' });
  assert.ok([A, C].includes((await senderOf(newer!)) ?? ''));
  uncounted = undefined;
  await orders.advance('PT30M');
  await assertFulfilled([older, newer!]);
});

test('a sender whose halt is older than its later payments leaves those orders to no other', async () => {
  // Its key is used elsewhere.
  given.set(B, (given.get(B) ?? 0n) + 1n);
  await paidTogether(1, { network: 'base', symbol: 'usdc' });
  const halts = async () => (await service.get('/payouts/senders/halted')).json;
  assert.match(JSON.stringify(await halts()), new RegExp(B));
  await orders.advance('PT5S');
  const [served] = await paidTogether(1, { network: 'base', symbol: 'usdc' });
  assert.ok([A, C].includes((await senderOf(served!)) ?? ''), 'created after the halt');
  const older = await orders.order({ network: 'base', symbol: 'usdc' });
  // Resumed, it pays the order; then the database goes back to the halt, and the payment is reported again.
  given.set(B, (given.get(B) ?? 0n) + 1n);
  await orders.advance('PT5S');
  await orders.pay(older);
  await service.runJobs();
  assert.equal(await senderOf(older), undefined);
  assert.match((await orders.read(older)).lastError, /trilho ledger check --chains/);
  await orders.advance('PT5S');
  const [newer] = await paidTogether(1, { network: 'base', symbol: 'usdc' });
  assert.ok([A, C].includes((await senderOf(newer!)) ?? ''), 'a later order continues');
  const resumed = await service.post('/payouts/senders/resume', { network: 'base', sender: B });
  assert.equal(resumed.status, 200, resumed.text);
  await orders.advance('PT30M');
  await assertFulfilled([served!, older, newer!]);
});

test('each sender has its own alarms', async () => {
  coin = { [B]: 0n };
  await orders.advance('PT61S');
  await service.runJobs();
  const { json } = await service.get('/payouts/alarms');
  const low = json.alarms.filter(
    (one: Record<string, string>) => one['reason'] === 'low_funds' && one['network'] === 'polygon',
  );
  assert.deepEqual(
    low.map(({ subject }: Record<string, string>) => subject),
    [`pol ${B}`],
  );
  assert.match(low[0].words, new RegExp(`^${B} has 0 pol`));
});

test('a transfer that moved nothing is sent again by any sender that can', async () => {
  asset = { [B]: 0n, [C]: 0n };
  await orders.fault('polygon', { fault: 'reverting' });
  const [order] = await paidTogether(1, { network: 'polygon' });
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT2H');
  assert.equal((await orders.read(order!)).holdReason, 'transfer_reverted');
  asset = { [A]: 0n, [C]: 0n };
  assert.equal((await sandbox.act(order!, 'retry')).status, 200);
  await orders.advance('PT30M');
  await assertFulfilled([order!]);
  assert.deepEqual(
    (await sandbox.payouts(order!)).map(({ sender, state }) => [sender, state]),
    [
      [A, 'reverted'],
      [B, 'final'],
    ],
  );
});
