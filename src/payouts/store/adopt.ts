// The SQL of transfers that are on the chain but not in the books.
import type { Network } from '../../chains/asset.ts';
import type { Attempt, Slot } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payout, PayoutState } from '../payout.ts';
import { insertPayouts } from './payouts.ts';

type AttemptOwner = { readonly payoutId: string; readonly ownerId?: string; readonly state: PayoutState };

/** The payout of which a transaction is an attempt. */
export async function findAttemptOwner(tx: Sql, hash: string): Promise<AttemptOwner | undefined> {
  const [row] = await tx.query<{ id: string; order_id: string | null; state: PayoutState }>(
    `select p.id, p.order_id, p.state from payout_attempts a
       join payouts p on p.id = a.payout_id and p.account_id = a.account_id
      where a.hash = $1`,
    [hash],
  );
  return row && { payoutId: row.id, state: row.state, ...(row.order_id !== null && { ownerId: row.order_id }) };
}

/** Whether a payout already has the slot. */
export async function isSlotGiven(tx: Sql, { network, sender, nonce }: Slot): Promise<boolean> {
  const rows = await tx.query(
    `select from payouts where network = $1 and sender = $2 and nonce = $3 and (state <> 'voided' or hash is not null)`,
    [network, sender, nonce],
  );
  return rows.length > 0;
}

/** Saves the bytes of a mined transfer, regardless of the state of its payout. */
export async function insertSentAttempt(
  tx: Sql,
  { id, accountId }: Pick<Payout, 'id' | 'accountId'>,
  { number, kind, hash, raw, signedAt }: Attempt,
): Promise<void> {
  await tx.query(
    `insert into payout_attempts (payout_id, account_id, number, kind, hash, raw, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, accountId, number, kind, hash, raw, signedAt],
  );
}

/**
 * Records a payout that was already sent, with its mined bytes. The caller holds the row locks of the senders of the network.
 */
export async function insertAdopted(tx: Sql, payout: Payout, attempt: Attempt, at: Date): Promise<void> {
  await passSlot(tx, payout);
  await insertPayouts(tx, [payout], at, at);
  const { id, accountId } = payout;
  await tx.query('update payouts set adopted_at = $3 where id = $1 and account_id = $2', [id, accountId, at]);
  await insertSentAttempt(tx, payout, attempt);
}

/** Moves the next slot past this one. */
async function passSlot(tx: Sql, { network, sender, nonce }: Slot): Promise<void> {
  await tx.query('update chain_senders set next_nonce = greatest(next_nonce, $3) where network = $1 and sender = $2', [
    network,
    sender,
    nonce + 1n,
  ]);
}

/** Schedules a lookup; a payout that moved nothing by the books is open again. */
export async function reopenPayout(
  tx: Sql,
  { id, accountId }: Pick<Payout, 'id' | 'accountId'>,
  at: Date,
): Promise<void> {
  await tx.query(
    `update payouts set state = 'open', unsigned_reason = null, idle_looks = 0, next_look_at = $3, updated_at = $3
      where id = $1 and account_id = $2 and state in ('open', 'voided', 'reverted')`,
    [id, accountId, at],
  );
}

/** Gives up the transfers of a network that are in no block by the books. Returns how many. */
export async function giveUpUnmined(tx: Sql, network: Network, at: Date): Promise<number> {
  const rows = await tx.query(
    `update payouts set void_requested_at = coalesce(void_requested_at, $2), unsigned_reason = null, idle_looks = 0, updated_at = $2
      where network = $1 and state in ('open', 'done') and block_number is null
        and (void_requested_at is null or unsigned_reason is not null)
      returning id`,
    [network, at],
  );
  return rows.length;
}
