// Approval of a payout by another person, or by several of a group. Approving does not send: the order stays in line and passes every
// gate.
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import { missingApprovals, requireCounted } from '../accounts/approvals.ts';
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, noSuch } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { standingOf } from './approvals.ts';
import { requireApprover } from './approver.ts';
import { joinLine } from './follow.ts';
import { isPastClaim, sentAgain } from './life.ts';
import type { HoldReason, Order } from './order.ts';
import { lockOrder } from './store.ts';
import { writeOrderStep } from './write.ts';

type ApproveOrderDeps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly approvalRules: ApprovalRules;
};

/** Holds that an approval ends. */
export const APPROVABLE: readonly HoldReason[] = ['over_payout_limit', 'approval_needed'];

/**
 * Approves the payout of an order at its present terms. A repeat by the same approver, or after all approvals are given, changes nothing.
 * Refuses the key or person that made the order, took its newest price or reported its money, anyone who shares a maker with them, anyone
 * whose approval no group needs, and an order whose crypto is on its way.
 */
export async function approveOrder(
  deps: ApproveOrderDeps,
  id: string,
  { by, accountId }: { readonly by: string; readonly accountId?: string | undefined },
): Promise<Order> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const before = await lockOrder(tx, id);
    if (!before || (accountId !== undefined && before.accountId !== accountId)) throw noSuch('crypto transaction');
    const standing = await standingOf(tx, deps.approvalRules, before, now);
    if (before.approval && standing.isApproved) return before;
    requireUnsent(before);
    await requireApprover(tx, by, before, 'approve it');
    const given = { ...before, approvals: [...(before.approvals ?? []), { by, at: now }] };
    // Settings may require less than before, so the approvals already given may be enough.
    const next = standing.isApproved ? standing : await standingOf(tx, deps.approvalRules, given, now);
    const hasApproved = before.approvals?.some(approval => approval.by === by) ?? false;
    if (!next.isApproved && hasApproved) return before;
    if (next !== standing) requireCounted(standing.groups, next.groups, 'this order');
    const kept = standing.isApproved ? before : given;
    const isHeldForIt = before.hold !== undefined && APPROVABLE.includes(before.hold.reason);
    if (!next.isApproved) {
      const lastError = isHeldForIt ? { lastError: missingApprovals(next.groups) } : {};
      return writeOrderStep(tx, before, { after: { ...kept, ...lastError } }, now);
    }
    const approved: Order = { ...kept, approval: { by, at: now } };
    const after = await writeOrderStep(tx, before, isHeldForIt ? sentAgain(approved, now) : { after: approved }, now);
    await joinLine(deps, tx, after);
    return after;
  });
}

function requireUnsent({ ended, status, hold, waitsSince }: Order): void {
  const isOnItsWay = isPastClaim({ status }) && !waitsSince && !(hold && APPROVABLE.includes(hold.reason));
  if (ended || isOnItsWay) throw new AppError('wrong_state', 'This order has no payout waiting for approval.');
}
