// Checks pauses and blocks again before the first signature of a slot is saved: they may have come after the slot was taken. Once a
// request for one of these has answered, no first transfer is saved, and what is not saved is not sent.
import type { Network } from '../../chains/asset.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { blockedAmong } from '../../wallets/store.ts';
import { intentOf, type Payout, type UnsignedReason } from '../payout.ts';
import { coveringPause, pauseMessage } from '../policy/pause.ts';
import { readPauses } from '../store/pauses.ts';
import { insertAttempts, type NewAttempt } from '../store/payouts.ts';
import { keepFromSenders } from '../store/senders.ts';

/** Why no transfer is signed for a slot. */
export type Refusal = { readonly reason: UnsignedReason; readonly message: string };

type Refusals = ReadonlyMap<Payout['id'], Refusal>;

export const BLOCKED_MESSAGE = 'The address of the wallet is blocked.';

/**
 * The payouts that a block or a pause stops now. Neither stops a cold sweep, which goes to the address of the settings; a top-up
 * can wait. */
export async function readRefusals(sql: Sql, payouts: readonly Payout[]): Promise<Refusals> {
  const stoppable = payouts.filter(({ ownerId, isTopUp }) => ownerId !== undefined || isTopUp);
  if (stoppable.length === 0) return new Map();
  const pauses = await readPauses(sql);
  const blocked = await blockedAmong(
    sql,
    stoppable.map(({ destination }) => destination),
  );
  const refusalOf = (payout: Payout): Refusal | undefined => {
    if (blocked.has(payout.destination)) return { reason: 'wallet_refused', message: BLOCKED_MESSAGE };
    const pause = coveringPause(pauses, payout);
    return pause && { reason: 'payouts_paused', message: pauseMessage(pause) };
  };
  return new Map(
    stoppable.flatMap(payout => {
      const refusal = refusalOf(payout);
      return refusal ? [[payout.id, refusal] as const] : [];
    }),
  );
}

type Saved = { readonly saved: ReadonlySet<Payout['id']>; readonly refusals: Refusals };

/**
 * Saves the first transfers of slots of one network, except blocked and paused ones. A block and a pause wait for this transaction
 * before they answer, so one that it has not seen answers after it.
 */
export function saveFirst(db: Database, network: Network, added: readonly NewAttempt[]): Promise<Saved> {
  return db.transaction(async tx => {
    await keepFromSenders(tx, network);
    const refusals = await readRefusals(
      tx,
      added.map(({ payout }) => payout),
    );
    const saved = await insertAttempts(
      tx,
      added.filter(({ payout }) => !refusals.has(payout.id)),
    );
    return { saved, refusals };
  });
}

/**
 * Whether the network would refuse the transfer itself, asked when it was not signed. A fee above the cap, too little funds and a
 * missing answer do not count as a refusal.
 */
export async function askRefusal(chain: Chain, payout: Payout): Promise<Refusal | undefined> {
  const check = await chain.check(intentOf(payout, payout.sender));
  if (check.kind !== 'refused' || check.reason === 'fee_too_high' || check.reason === 'no_funds') return undefined;
  return { reason: 'transfer_refused', message: check.message };
}
