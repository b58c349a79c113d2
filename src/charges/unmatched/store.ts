// The SQL of unmatched receipts.
import { addDays, type CivilDay, momentOn } from '../../lib/civil-days.ts';
import type { PageQuery } from '../../lib/paging.ts';
import { payerDocumentIn } from '../../rails/statement/payer-document.ts';
import type { Row, Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { PaymentSource } from '../charge.ts';
import { normalReference } from '../receive/payment-reference.ts';
import { type KnownMoney, MAX_DAYS_APART } from '../receive/same-money.ts';
import { comparable } from '../store/money.ts';
import { OPEN } from './store-unreadable.ts';

/** Why a receipt is kept: it matches no charge, may be money that is already known, or is money that came back. */
const UNMATCHED_REASONS = ['no_match', 'possible_duplicate', 'returned'] as const;
type UnmatchedReason = (typeof UNMATCHED_REASONS)[number];

/** The list also has receipts that cannot be read. */
export const LISTED_REASONS = [...UNMATCHED_REASONS, 'unreadable'] as const;

export type UnmatchedReceipt = {
  readonly reference: string;
  readonly postedAt: Date;
  readonly amountCents: bigint;
  readonly txid?: string;
  /** The text of the bank, or why the charge refused the payment. */
  readonly words: string;
  readonly reason: UnmatchedReason;
  /** For a possible duplicate: the reference of the payment or receipt that it may be. */
  readonly duplicateOf?: string;
  /** How much of it the bank has sent back. */
  readonly returnedCents?: bigint;
};

/** A stored receipt; the charge is that of its txid. */
type StoredReceipt = UnmatchedReceipt & { readonly chargeId?: string; readonly decidedAt?: Date };

/** A row of the list. An unreadable receipt may have no amount. */
export type ListedReceipt = Omit<StoredReceipt, 'amountCents' | 'reason'> & {
  readonly amountCents?: bigint;
  readonly reason: (typeof LISTED_REASONS)[number];
};

/** Stores a receipt; false when it is already stored, even if a person has decided about it since. */
export async function insertUnmatched(tx: Sql, receipt: UnmatchedReceipt, at: Date): Promise<boolean> {
  return (await insertManyUnmatched(tx, [receipt], at)) > 0;
}

/** Stores receipts with one statement, and returns how many were not stored before. */
export async function insertManyUnmatched(tx: Sql, receipts: readonly UnmatchedReceipt[], at: Date): Promise<number> {
  const rows = await tx.query(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, txid, words, reason, duplicate_of, recorded_at)
     select new.*, $8 from unnest($1::text[], $2::timestamptz[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) as new
     on conflict (reference) do nothing
     returning reference`,
    [
      receipts.map(({ reference }) => normalReference(reference)),
      receipts.map(({ postedAt }) => postedAt),
      receipts.map(({ amountCents }) => amountCents),
      receipts.map(({ txid }) => txid),
      receipts.map(({ words }) => words),
      receipts.map(({ reason }) => reason),
      receipts.map(({ duplicateOf }) => duplicateOf),
      at,
    ],
  );
  return rows.length;
}

/** Records how much of a receipt has gone back to the payer, or is about to. */
export async function noteReturned(tx: Sql, reference: string, cents: bigint): Promise<void> {
  await tx.query(
    `update unmatched_receipts set returned_cents = $2
      where lower(reference collate "C") = $1 and returned_cents <> $2`,
    [comparable(reference), cents],
  );
}

/**
 * The stored spelling of each reference in $1: exactly that one, or else the only one that differs in case. No match among several:
 * two receipts must not leave the list by one decision.
 */
const STORED = `
  select coalesce(min(stored.reference) filter (where stored.reference = given.reference),
                  case when count(*) = 1 then min(stored.reference) end)
    from unnest($1::text[]) as given (reference)
    join unmatched_receipts stored on lower(stored.reference collate "C") = lower(given.reference collate "C")
   group by given.reference`;

/** Takes receipts that were recorded as payments or dismissed off the list. They stay stored, so that no import adds them again. */
export async function decideUnmatched(tx: Sql, references: readonly string[], at: Date): Promise<void> {
  await tx.query(
    `with recorded as (
       update unreadable_receipts set read_at = $2
        where about = 'payment' and lower(reference collate "C") = any($3) and ${OPEN})
     update unmatched_receipts set decided_at = $2 where reference in (${STORED}) and decided_at is null`,
    [references.map(normalReference), at, references.map(comparable)],
  );
}

/** Marks receipts without a match as possible duplicates of a payment recorded later. */
export async function markDuplicates(
  tx: Sql,
  marks: readonly { readonly reference: string; readonly duplicateOf: string }[],
): Promise<void> {
  await tx.query(
    `update unmatched_receipts r set reason = 'possible_duplicate', duplicate_of = mark.duplicate_of
       from unnest($1::text[], $2::text[]) as mark (reference, duplicate_of)
      where r.reference = mark.reference and r.reason = 'no_match' and r.decided_at is null`,
    [marks.map(({ reference }) => reference), marks.map(({ duplicateOf }) => duplicateOf)],
  );
}

/** More equal amounts on one day than a person could compare. */
const MAX_KNOWN = 1_000;

/**
 * Money of an amount around a day in São Paulo, nearest first: payments by pix of any charge, including boletos paid by their code, and
 * unmatched receipts, including decided ones.
 */
export async function findKnownMoney(sql: Sql, amountCents: bigint, day: CivilDay): Promise<KnownMoney[]> {
  const rows = await sql.query<KnownRow>(
    `select * from (
       select reference, amount_cents, paid_at, source, payer_document, null as words
         from payments
        where method = 'pix' and amount_cents = $1 and paid_at >= $2 and paid_at < $3
        union all
       select reference, amount_cents, paid_at, source, payer_document, null
         from payments
        where is_by_pix and amount_cents = $1 and paid_at >= $2 and paid_at < $3
        union all
       select reference, amount_cents, posted_at, 'statement', null, words
         from unmatched_receipts
        where amount_cents = $1 and posted_at >= $2 and posted_at < $3) money
      order by greatest(paid_at - $4, $4 - paid_at), reference
      limit $5`,
    [amountCents, ...aboutDay(day), momentOn(day), MAX_KNOWN],
  );
  return rows.map(toKnownMoney);
}

/** Of which of these amounts and days `findKnownMoney` finds any, as `amount day`. */
export async function findAmountsWithMoney(
  sql: Sql,
  of: readonly { readonly amountCents: bigint; readonly postedDay: CivilDay }[],
): Promise<ReadonlySet<string>> {
  const asked = [...new Map(of.map(one => [`${one.amountCents} ${one.postedDay}`, one])).values()];
  const rows = await sql.query<{ amount_cents: string; day: CivilDay }>(
    `select amount_cents, day
       from unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::timestamptz[]) as asked (amount_cents, day, since, until)
      where exists (select from payments p
                     where p.method = 'pix' and p.amount_cents = asked.amount_cents
                       and p.paid_at >= asked.since and p.paid_at < asked.until)
         or exists (select from payments p
                     where p.is_by_pix and p.amount_cents = asked.amount_cents
                       and p.paid_at >= asked.since and p.paid_at < asked.until)
         or exists (select from unmatched_receipts r
                     where r.amount_cents = asked.amount_cents and r.posted_at >= asked.since and r.posted_at < asked.until)`,
    [
      asked.map(({ amountCents }) => amountCents),
      asked.map(({ postedDay }) => postedDay),
      asked.map(({ postedDay }) => aboutDay(postedDay)[0]),
      asked.map(({ postedDay }) => aboutDay(postedDay)[1]),
    ],
  );
  return new Set(rows.map(({ amount_cents, day }) => `${amount_cents} ${day}`));
}

/** Receipts that match no charge and wait for a decision, with one of these amounts around one of these days. */
export async function findWaitingMoney(
  sql: Sql,
  of: readonly { readonly amountCents: bigint; readonly postedDay: CivilDay }[],
): Promise<KnownMoney[]> {
  const rows = await sql.query<KnownRow>(
    `select distinct r.reference, r.amount_cents, r.posted_at as paid_at, 'statement' as source, null as payer_document,
            r.words
       from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as money (amount_cents, since, until)
       join unmatched_receipts r
         on r.amount_cents = money.amount_cents and r.posted_at >= money.since and r.posted_at < money.until
      where r.reason = 'no_match' and r.decided_at is null
      order by reference
      limit $4`,
    [
      of.map(({ amountCents }) => amountCents),
      of.map(({ postedDay }) => aboutDay(postedDay)[0]),
      of.map(({ postedDay }) => aboutDay(postedDay)[1]),
      MAX_KNOWN,
    ],
  );
  return rows.map(toKnownMoney);
}

/** The range of times that another report of the same money may have. */
function aboutDay(day: CivilDay): readonly [Date, Date] {
  return [momentOn(addDays(day, -MAX_DAYS_APART)), momentOn(addDays(day, MAX_DAYS_APART + 1))];
}

type KnownRow = Row & {
  reference: string;
  amount_cents: string;
  paid_at: Date;
  source: PaymentSource;
  payer_document: string | null;
  words: string | null;
};

function toKnownMoney({ reference, amount_cents, paid_at, source, payer_document, words }: KnownRow): KnownMoney {
  const payerDocument = payer_document ?? payerDocumentIn(words ?? '');
  const known = { reference, amountCents: BigInt(amount_cents), paidAt: paid_at, source };
  return { ...known, ...(payerDocument !== undefined && { payerDocument }) };
}

const COLUMNS = `
         r.reference, r.posted_at, r.amount_cents, r.txid, r.words, r.reason, r.duplicate_of,
         nullif(r.returned_cents, 0) as returned_cents, r.decided_at,
         (select m.charge_id from charge_methods m where m.method = 'pix' and m.reference = r.txid
           order by m.charge_id limit 1) as charge_id`;

/** A page of the receipts that wait for a decision, newest first, and their total number. */
export async function readUnmatched(sql: Sql, page: PageQuery): Promise<{ receipts: ListedReceipt[]; total: number }> {
  const rows = await sql.query<{ total: string; reference: string | null } & ListedRow>(
    `with waiting as (
            select reference, posted_at, amount_cents, txid, words, reason, duplicate_of, returned_cents, decided_at
              from unmatched_receipts where decided_at is null
             union all
            select reference, seen_at, amount_cents, null, words, 'unreadable', null, 0, null
              from unreadable_receipts where ${OPEN}),
          matching as (select count(*) as total from waiting),
          page as (select ${COLUMNS} from waiting r order by posted_at desc, reference desc, reason limit $1 offset $2)
     select matching.total, page.* from matching left join page on true order by posted_at desc, reference desc, reason`,
    [page.pageSize, BigInt(page.page - 1) * BigInt(page.pageSize)],
  );
  return { receipts: rows.filter(row => row.reference !== null).map(toListed), total: Number(rows[0]!.total) };
}

/** Finds the receipt that `decideUnmatched` would take off the list, or already has. */
export async function findUnmatched(sql: Sql, reference: string): Promise<StoredReceipt | undefined> {
  const [row] = await sql.query<UnmatchedRow>(
    `select ${COLUMNS} from unmatched_receipts r where r.reference in (${STORED})`,
    [[normalReference(reference)]],
  );
  return row && toUnmatched(row);
}

/** The receipts with these references, decided ones too, by `comparable` reference. */
export async function findReceipts(
  sql: Sql,
  references: readonly string[],
): Promise<ReadonlyMap<string, UnmatchedReceipt>> {
  const rows = await sql.query<UnmatchedRow>(
    `select ${COLUMNS} from unmatched_receipts r where lower(r.reference collate "C") = any($1)`,
    [references.map(comparable)],
  );
  return new Map(rows.map(row => [comparable(row.reference), toUnmatched(row)]));
}

type ListedRow = Row & RowOf<ListedReceipt>;
type UnmatchedRow = Row & RowOf<StoredReceipt>;

const NAMES =
  'reference, posted_at, amount_cents, txid, words, reason, duplicate_of, returned_cents, decided_at, charge_id';
const toListed = recordOf<ListedReceipt>(NAMES, ['amountCents', 'returnedCents']);
const toUnmatched = recordOf<StoredReceipt>(NAMES, ['amountCents', 'returnedCents']);
