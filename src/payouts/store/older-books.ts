// The SQL that finds what is on the chain but not in the books.
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payout } from '../payout.ts';
import { type PayoutRow, SELECT_PAYOUT, toPayout } from './payouts.ts';

/** Few: a sender has at most a window of open slots. */
const MAX_SLOTS = 100;

export type UsedSlot = Payout & { readonly usedElsewhereSince?: Date };

/** Payouts without a block in the books whose slot is below `used`, except those that an operator has acknowledged. */
export async function findUsedWithoutBlock(
  sql: Sql,
  network: Network,
  sender: string,
  used: bigint,
): Promise<UsedSlot[]> {
  const rows = await sql.query<PayoutRow & { used_elsewhere_since: Date | null }>(
    `select one.*, u.used_elsewhere_since from (
       ${SELECT_PAYOUT} where p.network = $1 and p.sender = $2 and p.state in ('open', 'done') and p.block_number is null
           and p.nonce < $3 and p.taken_acknowledged_at is null and not p.is_gap_fill
         order by p.nonce limit ${MAX_SLOTS}) one
      join payouts u on u.id = one.id and u.account_id = one.account_id`,
    [network, sender, used],
  );
  return rows.map(row => ({
    ...toPayout(row),
    ...(row.used_elsewhere_since !== null && { usedElsewhereSince: row.used_elsewhere_since }),
  }));
}

/** Records since when the slot of a payout is used by something else, or that it is not. */
export async function setUsedElsewhere(sql: Sql, { id, accountId }: Payout, since: Date | undefined): Promise<void> {
  await sql.query('update payouts set used_elsewhere_since = $3 where id = $1 and account_id = $2', [
    id,
    accountId,
    since,
  ]);
}

/** The transactions that are not an attempt of any payout. */
export async function findUnknown(sql: Sql, hashes: readonly string[]): Promise<string[]> {
  if (hashes.length === 0) return [];
  const rows = await sql.query<{ hash: string }>(
    `select asked.hash from unnest($1::text[]) with ordinality as asked (hash, place)
      where not exists (select from payout_attempts a where a.hash = asked.hash) order by asked.place`,
    [hashes],
  );
  return rows.map(({ hash }) => hash);
}

/** Records that a lookup saw the slot of a payout taken, and returns whether an operator has acknowledged it. */
export async function noteTaken(
  tx: Sql,
  { id, accountId }: Payout,
  at: Date,
): Promise<{ readonly isAcknowledged: boolean }> {
  const [row] = await tx.query<{ is_acknowledged: boolean }>(
    `update payouts set taken_at = coalesce(taken_at, $3) where id = $1 and account_id = $2
      returning taken_acknowledged_at is not null as is_acknowledged`,
    [id, accountId, at],
  );
  return { isAcknowledged: row?.is_acknowledged ?? false };
}

/** Acknowledges the payouts of a sender whose slots are used by something else, when an operator resumes it. */
export async function acknowledgeTaken(
  tx: Sql,
  network: Network,
  sender: string,
  used: bigint,
  at: Date,
): Promise<void> {
  await tx.query(
    `update payouts set taken_acknowledged_at = $4
      where network = $1 and sender = $2 and state in ('open', 'done') and taken_acknowledged_at is null
        and (taken_at is not null or (nonce < $3 and block_number is null))`,
    [network, sender, used, at],
  );
}

/** Used slots without a payout: those that the books never gave out, and those that payouts lost to something else. */
export async function findMissingSlots(
  sql: Sql,
  network: Network,
  sender: string,
  { nextNonce, used }: { readonly nextNonce: bigint; readonly used: bigint },
): Promise<bigint[]> {
  const rows = await sql.query<{ slot: string }>(
    `select slot from generate_series(
         least($3::bigint, coalesce((select min(nonce) from payouts
           where network = $1 and sender = $2 and state in ('open', 'done') and (taken_at is not null or used_elsewhere_since is not null)),
           $3)), $4::bigint - 1) slot
      where not exists (select from payouts p
        where p.network = $1 and p.sender = $2 and p.nonce = slot
          and (p.block_number is not null or (p.state in ('open', 'done') and p.taken_at is null and p.used_elsewhere_since is null)))
      order by slot limit ${MAX_SLOTS}`,
    [network, sender, nextNonce, used],
  );
  return rows.map(({ slot }) => BigInt(slot));
}
