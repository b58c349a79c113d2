// The SQL of payments and returns that a bank lists but that cannot be read.
import type { UnreadableReceipt } from '../../rails/rail.ts';
import type { Row, Sql } from '../../storage/database.ts';
import { normalReference } from '../receive/payment-reference.ts';
import { comparable } from '../store/money.ts';

/** An unreadable receipt that waits, or waited, for a person. */
export type StoredUnreadable = UnreadableReceipt & {
  readonly rail: string;
  readonly seenAt: Date;
  readonly dismissedAt?: Date;
};

/** Neither read since nor dismissed. */
export const OPEN = 'read_at is null and dismissed_at is null';

type Seen = { readonly at: Date; readonly lookAgainAt: Date };

/** Each is kept once. A dismissed one returns only if another part of it cannot be read. */
export async function insertUnreadable(
  tx: Sql,
  rail: string,
  receipts: readonly UnreadableReceipt[],
  { at, lookAgainAt }: Seen,
): Promise<void> {
  await tx.query(
    `insert into unreadable_receipts (reference, about, rail, words, amount_cents, seen_at, look_again_at)
     select distinct on (new.reference, new.about) new.reference, new.about, $5, new.words, new.amount_cents, $6, $7
       from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as new (reference, about, words, amount_cents)
     on conflict (reference, about) do update
        set words = excluded.words, amount_cents = excluded.amount_cents, seen_at = excluded.seen_at,
            look_again_at = excluded.look_again_at, read_at = null, dismissed_at = null
      where unreadable_receipts.words <> excluded.words
         or (unreadable_receipts.read_at is not null and unreadable_receipts.dismissed_at is null)`,
    [
      receipts.map(({ reference }) => normalReference(reference)),
      receipts.map(({ about }) => about),
      receipts.map(({ words }) => words),
      receipts.map(({ amountCents }) => amountCents),
      rail,
      at,
      lookAgainAt,
    ],
  );
}

/** Takes those of a rail that are due to be asked about again, and sets their next time. */
export async function takeDueUnreadable(
  tx: Sql,
  rail: string,
  { at, lookAgainAt }: Seen,
  limit: number,
): Promise<StoredUnreadable[]> {
  const rows = await tx.query<UnreadableRow>(
    `update unreadable_receipts set look_again_at = $3
      where (reference, about) in (
              select reference, about from unreadable_receipts
               where ${OPEN} and rail = $1 and look_again_at <= $2
               order by look_again_at, reference, about limit $4)
     returning ${COLUMNS}`,
    [rail, at, lookAgainAt, limit],
  );
  return rows.map(toUnreadable);
}

/** Marks it as readable now. */
export async function markRead(tx: Sql, reference: string, about: UnreadableReceipt['about'], at: Date): Promise<void> {
  await tx.query(`update unreadable_receipts set read_at = $3 where reference = $1 and about = $2 and ${OPEN}`, [
    normalReference(reference),
    about,
    at,
  ]);
}

/** Dismisses what is kept about a payment; undefined when nothing is. */
export async function dismissUnreadable(tx: Sql, reference: string, at: Date): Promise<StoredUnreadable | undefined> {
  const rows = await tx.query<UnreadableRow>(
    `update unreadable_receipts set dismissed_at = $2
      where lower(reference collate "C") = $1 and ${OPEN}
     returning ${COLUMNS}`,
    [comparable(reference), at],
  );
  return rows[0] && toUnreadable(rows[0]);
}

/** The one that was dismissed last. */
export async function findDismissed(tx: Sql, reference: string): Promise<StoredUnreadable | undefined> {
  const [row] = await tx.query<UnreadableRow>(
    `select ${COLUMNS} from unreadable_receipts
      where lower(reference collate "C") = $1 and dismissed_at is not null
      order by dismissed_at desc, about limit 1`,
    [comparable(reference)],
  );
  return row && toUnreadable(row);
}

/** The newest that wait for a person. */
export async function readUnreadable(sql: Sql, limit: number): Promise<StoredUnreadable[]> {
  const rows = await sql.query<UnreadableRow>(
    `select ${COLUMNS} from unreadable_receipts where ${OPEN} order by seen_at desc, reference desc, about limit $1`,
    [limit],
  );
  return rows.map(toUnreadable);
}

const COLUMNS = 'reference, about, rail, words, amount_cents, seen_at, dismissed_at';

type UnreadableRow = Row & {
  reference: string;
  about: UnreadableReceipt['about'];
  rail: string;
  words: string;
  amount_cents: string | null;
  seen_at: Date;
  dismissed_at: Date | null;
};

function toUnreadable({ amount_cents, seen_at, dismissed_at, ...row }: UnreadableRow): StoredUnreadable {
  return {
    ...row,
    seenAt: seen_at,
    ...(amount_cents !== null && { amountCents: BigInt(amount_cents) }),
    ...(dismissed_at !== null && { dismissedAt: dismissed_at }),
  };
}
