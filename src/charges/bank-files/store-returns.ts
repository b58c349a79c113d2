// The SQL of return files and of their entries.

import type { ReturnEntry, Warning } from '@trilho/cnab';
import type { CivilDay } from '../../lib/civil-days.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import { closeAnswered } from './store-answers.ts';

export const RETURN_OUTCOMES = [
  'registered',
  'rejected',
  'paid',
  'written_off',
  'reversed',
  'fee',
  'noted',
  'unmatched',
  'possible_duplicate',
  'needs_attention',
  'repeated',
] as const;
export type ReturnOutcome = (typeof RETURN_OUTCOMES)[number];

type NewReturn = {
  readonly id: string;
  readonly rail: string;
  /** The bank whose codes it uses. */
  readonly bank: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string;
  readonly sequence: number;
  readonly madeOn?: CivilDay;
  readonly receivedAt: Date;
  readonly receivedBy: string;
};

export type BoletoReturn = Omit<NewReturn, 'bank'> & {
  /** How many of its entries are booked. */
  readonly booked: number;
  readonly counts: Readonly<Partial<Record<ReturnOutcome, number>>>;
  /** How many entries need a person and are not marked as seen. */
  readonly unseen: number;
  readonly warnings: readonly Warning[];
  readonly finishedAt?: Date;
};

/** Stores a file unless it exists, and returns the stored one. */
export async function openReturn(tx: Sql, file: NewReturn): Promise<BoletoReturn> {
  await tx.query(
    `insert into boleto_returns (id, rail, digest, sequence, made_on, received_at, received_by, bank)
     values ($1, $2, decode($3, 'hex'), $4, $5, $6, $7, $8)
     on conflict (rail, digest) do nothing`,
    [file.id, file.rail, file.digest, file.sequence, file.madeOn, file.receivedAt, file.receivedBy, file.bank],
  );
  const [found] = await readReturns(tx, `r.rail = $1 and r.digest = decode($2, 'hex')`, [file.rail, file.digest]);
  return found!;
}

export async function findReturn(sql: Sql, id: string): Promise<BoletoReturn | undefined> {
  const [found] = await readReturns(sql, 'r.id = $1', [id]);
  return found;
}

/** The marks of those entries that another file already had. */
export async function findRepeatedMarks(
  sql: Sql,
  { id, rail }: BoletoReturn,
  marks: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ mark: string }>(
    `select encode(digest, 'hex') as mark from boleto_return_entries
      where rail = $1 and digest = any($2) and return_id <> $3`,
    [rail, marks.map(mark => Buffer.from(mark, 'hex')), id],
  );
  return new Set(rows.map(({ mark }) => mark));
}

/** The charges of a rail's boletos by their number. */
export async function findChargesByNumber(
  sql: Sql,
  rail: string,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ reference: string; charge_id: string }>(
    `select reference, charge_id from charge_methods where reference = any($1) and rail = $2 and method = 'boleto'`,
    [numbers, rail],
  );
  return new Map(rows.map(({ reference, charge_id }) => [reference, charge_id]));
}

export type BookedEntry = {
  readonly entry: ReturnEntry;
  readonly mark: string;
  readonly outcome: ReturnOutcome;
  readonly remark?: string;
  readonly charge?: { readonly id: string; readonly accountId: string };
};

/** Stores the outcomes of entries, the instructions that they answer, and how far the file is booked. */
export async function insertEntries(
  tx: Sql,
  { id, rail, receivedAt }: BoletoReturn,
  booked: readonly BookedEntry[],
  total: number,
): Promise<void> {
  const records = booked.map(({ entry, mark, outcome, remark, charge }) => ({
    line: entry.line,
    digest: mark,
    occurrence: entry.occurrence,
    reasons: entry.reasons.map(({ code }) => code),
    our_number: entry.ourNumber,
    amount_cents: String(entry.amountCents),
    paid_cents: String(entry.paidCents),
    fee_cents: String(entry.feeCents),
    occurrence_day: entry.occurrenceDay,
    credit_day: entry.creditDay,
    outcome,
    remark,
    charge_id: charge?.id,
    account_id: charge?.accountId,
  }));
  await tx.query(
    `insert into boleto_return_entries (return_id, line, rail, digest, occurrence, reasons, our_number, amount_cents, paid_cents,
                                        fee_cents, occurrence_day, credit_day, outcome, remark, charge_id, account_id)
     select $1, line, $2, decode(digest, 'hex'), occurrence, reasons, our_number, amount_cents, paid_cents, fee_cents,
            occurrence_day, credit_day, outcome, remark, charge_id, account_id
       from json_to_recordset($3) as entry (
              line integer, digest text, occurrence text, reasons text[], our_number text, amount_cents bigint,
              paid_cents bigint, fee_cents bigint, occurrence_day date, credit_day date, outcome text, remark text,
              charge_id uuid, account_id text)
     on conflict (return_id, line) do nothing`,
    [id, rail, JSON.stringify(records)],
  );
  // A repeated entry has already answered; a damaged line answers nothing.
  const answers = booked.flatMap(({ entry: { meaning, damage, dueDay }, outcome, charge }) =>
    charge && damage === undefined && outcome !== 'repeated'
      ? { chargeId: charge.id, meaning, ...(dueDay !== undefined && { dueDay }) }
      : [],
  );
  await closeAnswered(tx, rail, answers, receivedAt);
  await tx.query('update boleto_returns set booked = greatest(booked, $2) where id = $1', [id, total]);
}

export async function finishReturn(
  tx: Sql,
  { id }: BoletoReturn,
  warnings: readonly Warning[],
  at: Date,
): Promise<void> {
  await tx.query('update boleto_returns set finished_at = $2, warnings = $3 where id = $1 and finished_at is null', [
    id,
    at,
    JSON.stringify(warnings),
  ]);
}

/** The outcomes that a person must see to. */
export const FOR_A_PERSON = ['unmatched', 'possible_duplicate', 'needs_attention'] as const satisfies ReturnOutcome[];

export type EntryForPerson = {
  readonly line: number;
  readonly occurrence: string;
  readonly outcome: (typeof FOR_A_PERSON)[number];
  readonly remark?: string;
  readonly chargeId?: string;
};

/** The first entries of a file that a person must see to. */
export async function readForPerson(sql: Sql, { id }: BoletoReturn, limit: number): Promise<EntryForPerson[]> {
  const rows = await sql.query<RowOf<EntryForPerson>>(
    `select line, occurrence, outcome, remark, charge_id from boleto_return_entries
      where return_id = $1 and outcome = any($2) order by line limit $3`,
    [id, FOR_A_PERSON, limit],
  );
  return rows.map(toEntryForPerson);
}

const toEntryForPerson = recordOf<EntryForPerson>('line, occurrence, outcome, remark, charge_id');

const toReturn = recordOf<BoletoReturn>(
  'id, rail, digest, sequence, made_on, received_at, received_by, booked, warnings, finished_at, counts, unseen',
);

/** A page of the files of all rails, or of one. */
export async function readReturnPage(
  sql: Sql,
  { page, pageSize }: PageQuery,
  { agreement }: { readonly agreement?: string },
): Promise<{ readonly returns: BoletoReturn[]; readonly total: number }> {
  const [counted] = await sql.query<{ total: string }>(
    'select count(*) as total from boleto_returns where $1::text is null or rail = $1',
    [agreement],
  );
  // The outcomes are counted for the files of the page alone.
  const onPage = `select id from boleto_returns where $1::text is null or rail = $1
                   order by received_at desc, id desc limit $2 offset $3`;
  const offset = BigInt(page - 1) * BigInt(pageSize);
  const returns = await readReturns(sql, `r.id in (${onPage})`, [agreement, pageSize, offset]);
  return { returns, total: Number(counted?.total ?? 0) };
}

/** Return files that fulfil a condition on `r`, newest first. */
async function readReturns(sql: Sql, condition: string, values: readonly unknown[]): Promise<BoletoReturn[]> {
  const rows = await sql.query<RowOf<BoletoReturn>>(
    `select r.id, r.rail, encode(r.digest, 'hex') as digest, r.sequence, r.made_on::text as made_on, r.received_at, r.received_by, r.booked,
            r.warnings, r.finished_at,
            (select coalesce(jsonb_object_agg(outcome, count), '{}')
               from (select outcome, count(*) from boleto_return_entries where return_id = r.id group by outcome) counted
            ) as counts,
            (select count(*)::int from boleto_return_entries
              where rail = r.rail and return_id = r.id and outcome = 'needs_attention' and seen_at is null) as unseen
       from boleto_returns r where ${condition}
      order by r.received_at desc, r.id desc`,
    [...values],
  );
  return rows.map(toReturn);
}
