// The SQL of entries of return files: their list, and those that need a person and are not marked as seen.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { ReturnOutcome } from './store-returns.ts';

export type EntryRecord = {
  readonly returnId: string;
  readonly rail: string;
  /** The bank whose codes the entry uses; absent if an older version read the file. */
  readonly bank?: string;
  readonly line: number;
  readonly occurrence: string;
  readonly reasons: readonly string[];
  readonly ourNumber?: string;
  readonly amountCents: bigint;
  readonly paidCents: bigint;
  readonly feeCents: bigint;
  readonly occurrenceDay?: CivilDay;
  readonly creditDay?: CivilDay;
  readonly outcome: ReturnOutcome;
  readonly remark?: string;
  readonly chargeId?: string;
  readonly seenAt?: Date;
  readonly seenBy?: string;
};

const PLAIN = `return_id, rail, line, occurrence, reasons, our_number, amount_cents, paid_cents, fee_cents, outcome, remark,
               charge_id, seen_at, seen_by`;
const COLUMNS = `${PLAIN}, (select bank from boleto_returns r where r.id = return_id) as bank,
                 occurrence_day::text as occurrence_day, credit_day::text as credit_day`;
const UNSEEN = `outcome = 'needs_attention' and seen_at is null`;

type EntryRow = RowOf<EntryRecord>;
const toEntry = recordOf<EntryRecord>(`${PLAIN}, bank, occurrence_day, credit_day`, [
  'amountCents',
  'paidCents',
  'feeCents',
]);

/** Entries of a file in order, all or those with one outcome. */
export async function readEntryPage(
  sql: Sql,
  returnId: string,
  { page, pageSize }: PageQuery,
  outcome?: ReturnOutcome,
): Promise<{ readonly entries: EntryRecord[]; readonly total: number }> {
  const [counted] = await sql.query<{ total: string }>(
    'select count(*) as total from boleto_return_entries where return_id = $1 and ($2::text is null or outcome = $2)',
    [returnId, outcome],
  );
  const rows = await sql.query<EntryRow>(
    `select ${COLUMNS} from boleto_return_entries
      where return_id = $1 and ($2::text is null or outcome = $2)
      order by line limit $3 offset $4`,
    [returnId, outcome, pageSize, BigInt(page - 1) * BigInt(pageSize)],
  );
  return { entries: rows.map(toEntry), total: Number(counted?.total ?? 0) };
}

/** The first entries of all files that need a person and are not marked as seen, and how many there are. */
export async function readUnseen(
  sql: Sql,
  limit: number,
): Promise<{ readonly entries: EntryRecord[]; readonly total: number }> {
  const [counted] = await sql.query<{ total: string }>(
    `select count(*) as total from boleto_return_entries where ${UNSEEN}`,
  );
  const rows = await sql.query<EntryRow>(
    `select ${COLUMNS} from boleto_return_entries where ${UNSEEN} order by rail, return_id, line limit $1`,
    [limit],
  );
  return { entries: rows.map(toEntry), total: Number(counted?.total ?? 0) };
}

/** Marks one entry that needs a person, or all of a file, as seen; who saw it first stays. Returns how many were marked. */
export async function markSeen(
  tx: Sql,
  { returnId, line }: { readonly returnId: string; readonly line?: number },
  by: string,
  at: Date,
): Promise<number> {
  const rows = await tx.query(
    `update boleto_return_entries set seen_at = $3, seen_by = $4
      where return_id = $1 and ($2::integer is null or line = $2) and ${UNSEEN} returning line`,
    [returnId, line, at, by],
  );
  return rows.length;
}

export async function hasEntry(sql: Sql, returnId: string, line: number): Promise<boolean> {
  const rows = await sql.query('select from boleto_return_entries where return_id = $1 and line = $2', [
    returnId,
    line,
  ]);
  return rows.length > 0;
}
