// Approval of a wallet by a second pair of eyes, and blocks by an operator.
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { lockWallet } from './require.ts';
import { markApproved, markBlocked } from './store.ts';
import type { Actor, Wallet } from './wallet.ts';

export type ApproveDeps = { readonly db: Database; readonly clock: Clock };

/** Whether an actor is one key or one person. A sandbox knows neither, so there the maker may approve. */
export function isSomeone(actor: Actor): boolean {
  return actor.startsWith('key:') || actor.startsWith('person:');
}

/** Approves once; approved again it stays as it is. Refuses the key or person that made the wallet. */
export async function approveWallet(
  { db, clock }: ApproveDeps,
  id: string,
  { by, accountId }: { readonly by: Actor; readonly accountId?: string | undefined },
): Promise<Wallet> {
  const at = clock.now();
  return db.transaction(async tx => {
    const wallet = await lockWallet(tx, id, { accountId });
    if (wallet.approvedAt) return wallet;
    if (isSomeone(by) && by === wallet.createdBy) {
      throw new AppError('second_key_needed', 'Who made this wallet cannot approve it.');
    }
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
