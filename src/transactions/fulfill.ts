// Sending the crypto: the job `transaction.fulfill` signs, SAVES, then sends, and looks until the chain shows the transfer deep
// enough. It begins with a look each time, so it may be killed between any two steps and run by anybody again: what is sent
// twice is the same bytes, in the same slot.
import type { Attempt, Chain, Chains, Sighting } from '../chains/chain.ts';
import { commitMoney } from '../charges/store-money.ts';
import type { Jobs, Queue } from '../jobs/queue.ts';
import { payoutEntry, payoutUndoneEntry } from '../ledger/entries.ts';
import { postEntries } from '../ledger/store.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import { chainOf } from './claim.ts';
import { lockedCharge } from './follow.ts';
import { type Payout, transferOf } from './payout.ts';
import { isLookedAfter, lookedAt } from './sighting.ts';
import { lockOrder } from './store-orders.ts';
import { findPayout, insertAttempt, updatePayout } from './store-payouts.ts';
import { clearOrderTimers, setOrderTimer } from './store-timers.ts';
import type { Order } from './transaction.ts';
import { writeOrderStep } from './write.ts';

export type FulfillDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly chains: Chains;
  readonly clock: Clock;
};

/** Bids for one slot; beyond that only patience helps. */
const MAX_ATTEMPTS = 5;

export async function fulfillOrder(
  deps: FulfillDeps,
  { accountId, transactionId }: Jobs['transaction.fulfill'],
): Promise<void> {
  await deps.clock.refresh();
  const payout = await findPayout(deps.db, { id: transactionId, accountId });
  if (!payout || !isLookedAfter(payout)) return;
  const chain = chainOf(deps.chains, payout.network);
  const attempts = payout.attempts.length > 0 ? payout.attempts : await addAttempt(deps, chain, payout);
  const sighting = await chain.look(transferOf(payout), attempts);
  await send(deps, chain, { ...payout, attempts }, sighting);
  await deps.db.transaction(tx => note(deps, tx, chain, payout, sighting));
}

/** What the broadcast answers is not asked: the next look tells. */
async function send(deps: FulfillDeps, chain: Chain, payout: Payout, { kind }: Sighting): Promise<void> {
  if (kind === 'absent') await chain.broadcast(payout.attempts.at(-1)!);
  if (kind === 'stuck' && payout.attempts.length < MAX_ATTEMPTS) {
    const attempts = await addAttempt(deps, chain, payout);
    await chain.broadcast(attempts.at(-1)!);
  }
}

/** Signs the next attempt and saves it; whoever saved one of that number first is followed. */
async function addAttempt(deps: FulfillDeps, chain: Chain, payout: Payout): Promise<readonly Attempt[]> {
  const number = payout.attempts.length + 1;
  const signed = await chain.sign(transferOf(payout), number);
  await deps.db.transaction(tx => insertAttempt(tx, payout, { ...signed, number }, deps.clock.now()));
  const saved = await findPayout(deps.db, { id: payout.transactionId, accountId: payout.accountId });
  if (!saved || saved.id !== payout.id || saved.attempts.length === 0)
    throw new Error('an attempt that was saved is there');
  return saved.attempts;
}

/** Writes what was seen, unless somebody has written something newer meanwhile. */
async function note(deps: FulfillDeps, tx: Sql, chain: Chain, seen: Payout, sighting: Sighting): Promise<void> {
  const order = await lockOrder(tx, seen.transactionId);
  const payout = order && (await findPayout(tx, order));
  if (!payout || payout.id !== seen.id || !isLookedAfter(payout)) return;
  const now = deps.clock.now();
  if (
    payout.state !== seen.state ||
    payout.confirmations !== seen.confirmations ||
    payout.idleLooks !== seen.idleLooks
  ) {
    return setOrderTimer(tx, order, 'look', now);
  }
  const { payout: after, step } = lookedAt(order, payout, sighting, chain, now);
  await updatePayout(tx, after, now);
  await postPayout(tx, order, payout, after, now);
  if (after.state === 'reverted') await freeMoney(tx, order);
  if (step) await writeOrderStep(tx, order, step, now, after);
  if (!isLookedAfter(after)) return clearOrderTimers(tx, order, ['look']);
  await setOrderTimer(tx, order, 'look', nextLook(chain, sighting, after, now));
}

const LONGEST_WAIT_MS = 3_600_000;
const MAX_DOUBLINGS = 20;

/** The chain says when to look again; looks that show nothing new come further and further apart. */
function nextLook(chain: Chain, sighting: Sighting, { idleLooks }: Payout, now: Date): Date {
  // What was sent a moment ago waits to be mined.
  const expected = sighting.kind === 'absent' ? ({ kind: 'pending' } as const) : sighting;
  const soonMs = chain.lookAfter(expected, now).getTime() - now.getTime();
  const grownMs = Math.min(soonMs * 2 ** Math.min(idleLooks, MAX_DOUBLINGS), Math.max(soonMs, LONGEST_WAIT_MS));
  return new Date(now.getTime() + grownMs);
}

/** The ledger learns of crypto that left, and of crypto that a chain took back. */
async function postPayout(tx: Sql, order: Order, before: Payout, after: Payout, at: Date): Promise<void> {
  const wasGone = before.state === 'done';
  const isGone = after.state === 'done' || after.state === 'final';
  if (wasGone === isGone) return;
  const { symbol, network, units } = after;
  const { accountId, chargeId } = order;
  const entry = {
    id: uuidV7(at),
    accountId,
    at,
    transactionId: order.id,
    ...(chargeId !== undefined && { chargeId }),
    payoutId: after.id,
    symbol,
    network,
    units,
  };
  await postEntries(tx, [isGone ? payoutEntry(entry) : payoutUndoneEntry(entry)]);
}

/** Crypto that did not leave lets its money go back. */
async function freeMoney(tx: Sql, order: Order): Promise<void> {
  const charge = await lockedCharge(tx, order);
  if (charge) await commitMoney(tx, charge, 0n);
}
