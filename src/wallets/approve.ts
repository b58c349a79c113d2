// Approval of a wallet by a second pair of eyes, and blocks by an operator.
import { requireSecondKey } from '../accounts/second-key.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../storage/database.ts';
import { lockWallet } from './require.ts';
import { markApproved, markBlocked } from './store.ts';
import type { Actor, Wallet } from './wallet.ts';

export type ApproveDeps = { readonly db: Database; readonly clock: Clock };

/** Approves once; approved again it stays as it is. Refuses the key or person that made the wallet, and all that share a maker with it. */
export async function approveWallet(
  { db, clock }: ApproveDeps,
  id: string,
  { by, accountId }: { readonly by: Actor; readonly accountId?: string | undefined },
): Promise<Wallet> {
  const at = clock.now();
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    if (wallet.approvedAt) return wallet;
    await requireSecondKey(
      tx,
      by,
      [wallet.createdBy],
      'Who made this wallet, and what they made or invited, cannot approve it.',
    );
    await markApproved(tx, wallet, at, by);
    return { ...wallet, approvedAt: at };
  });
}

/** Blocks the address of a wallet, or lifts the block. What is so already stays as it is. */
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
