// Sends an order again after its transfer finally moved nothing, or was refused before it took a slot. It takes a new slot, so this could
// be a second payout: only an operator may start it.
import { activeSendersOf } from '../chains/chain.ts';
import { AppError, noSuch, requireFound } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { chainOf, chainSilent } from '../payouts/line/open.ts';
import { intentOf } from '../payouts/payout.ts';
import { type WalletGateDeps, walletMayBePaid } from '../wallets/gate.ts';
import { requireNothingMoved } from './earlier-transfers.ts';
import { type FollowDeps, joinLine, lockChargeOf } from './follow.ts';
import { hasSlot, holdReasonOf, sentAgain } from './life.ts';
import { moneyOf } from './money.ts';
import type { HoldReason, Order } from './order.ts';
import { requestOf } from './payout-request.ts';
import { findOrder, lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

const RETRYABLE: readonly HoldReason[] = [
  'over_payout_limit',
  'approval_needed',
  'wallet_refused',
  'transfer_refused',
  'payout_voided',
  'transfer_reverted',
];

export type RetryDeps = FollowDeps & WalletGateDeps;

/**
 * Puts the order back in line. Refuses an order whose transfer may have moved something, according to the books or the nodes, one whose
 * payment was refunded meanwhile, and one whose transfer would fail again.
 */
export async function retryOrder(deps: RetryDeps, id: string, accountId?: string): Promise<Order> {
  const now = deps.clock.now();
  const found = requireFound(await findOrder(deps.db, id, accountId), 'crypto transaction');
  requireUnsent(found);
  await requireNothingMoved(deps, found);
  await requireReady(deps, found);
  await requirePayable(deps, found);
  const retryId = uuidV7(now);
  return deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    const charge = before && (await lockChargeOf(tx, before));
    if (!before || !charge) throw noSuch('crypto transaction');
    // A retry after a commit whose answer was lost finds its own change.
    if (before.retryId === retryId) return before;
    requireUnsent(before);
    if (holdReasonOf(before, moneyOf(charge, before.dueCents ?? charge.payableCents))) {
      throw new AppError('wrong_state', 'The money of this order does not match its price; reprice it.');
    }
    const after = await writeOrderStep(tx, before, sentAgain({ ...before, retryId }, now), now);
    await joinLine(deps, tx, after);
    return after;
  });
}

function requireUnsent(order: Order): void {
  const { hold, ended } = order;
  requireNoSlot(order);
  if (hold && RETRYABLE.includes(hold.reason) && !ended) return;
  throw new AppError('wrong_state', 'This order has no failed transfer.');
}

/** An order may be held while nothing is signed for its slot: another transfer must wait until that slot is void. */
export function requireNoSlot(order: Order): void {
  if (!hasSlot(order) || !order.hold || !RETRYABLE.includes(order.hold.reason)) return;
  throw new AppError('wrong_state', 'The slot of this order is not void yet; try again once its transfer is.');
}

/** Refuses a wallet that may no longer be paid to. If screening does not answer, it is asked again in the line. */
export async function requirePayable(deps: WalletGateDeps, { walletId }: Order): Promise<void> {
  const may = await walletMayBePaid(deps, walletId);
  if (may.kind !== 'refused') return;
  if (may.reason === 'blocked') throw new AppError('wallet_blocked', 'This service does not pay this wallet.');
  throw new AppError('wrong_state', may.message);
}

/** Refuses at once if the line would hold the order later. It is enough that one sender can send it. */
export async function requireReady({ chains }: FollowDeps, order: Order): Promise<void> {
  const chain = chainOf(chains, order.network);
  const asked = activeSendersOf(chain).map(sender => chain.check(intentOf(requestOf(order), sender)));
  const checks = await Promise.all(asked);
  if (checks.some(({ kind }) => kind === 'ready')) return;
  const refused = checks.find(check => check.kind === 'refused');
  if (!refused || checks.some(({ kind }) => kind === 'unknown')) throw chainSilent(order.network);
  throw new AppError('wrong_state', refused.message);
}
