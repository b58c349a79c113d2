// Approves wallets, by another key or person or by several of a group; and blocks by an operator.
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import { requireCounted } from '../accounts/approvals.ts';
import { requireSecondKey } from '../accounts/second-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../storage/database.ts';
import { standingOf } from './approvals.ts';
import { lockWallet } from './require.ts';
import { markBlocked, writeApprovals } from './store.ts';
import type { Actor, Wallet } from './wallet.ts';

export type ApproveDeps = { readonly db: Database; readonly clock: Clock };

/**
 * Approving again, or when all approvals are given, changes nothing. Refuses the key or person that created the wallet, all that share a
 * maker with it, and those whose approval no group needs.
 */
export async function approveWallet(
  { db, clock, approvalRules }: ApproveDeps & { readonly approvalRules: ApprovalRules },
  id: string,
  { by, accountId }: { readonly by: Actor; readonly accountId?: string | undefined },
): Promise<Wallet> {
  const at = clock.now();
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    const standing = await standingOf(tx, approvalRules, wallet, at);
    if (wallet.approvedAt && standing.isApproved) return wallet;
    await requireSecondKey(
      tx,
      by,
      [wallet.createdBy],
      'The person or key that created this wallet, and the keys and people they created or invited, cannot approve it.',
    );
    const { approvals = [] } = wallet;
    const approval = { by, at };
    const hasApproved = approvals.some(one => one.by === by);
    const given = standing.isApproved || hasApproved ? approvals : [...approvals, approval];
    const next = await standingOf(tx, approvalRules, { ...wallet, approvals: given }, at);
    if (!next.isApproved && hasApproved) return wallet;
    if (given !== approvals) requireCounted(standing.groups, next.groups, 'this wallet');
    const completed = next.isApproved ? approval : undefined;
    await writeApprovals(tx, wallet, given, completed);
    const { approvedAt: _, ...rest } = wallet;
    return { ...rest, approvals: given, ...(completed && { approvedAt: at }) };
  });
}

/** Blocks the address of a wallet, or lifts the block. A repeat changes nothing. */
export async function blockWallet(
  { db, clock }: ApproveDeps,
  id: string,
  { by, isBlocked }: { readonly by: Actor; readonly isBlocked: boolean },
): Promise<Wallet> {
  const at = clock.now();
  return db.transaction(async tx => {
    // The address of a removed wallet may be blocked and unblocked too.
    const wallet = await lockWallet(tx, id, { withRemoved: true });
    if ((wallet.blockedAt !== undefined) === isBlocked) return wallet;
    await markBlocked(tx, wallet, isBlocked ? { at, by } : undefined);
    const { blockedAt: _, ...rest } = wallet;
    return isBlocked ? { ...rest, blockedAt: at } : rest;
  });
}
