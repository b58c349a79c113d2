// The SQL that reads the records of a day for the comparison with a bank's own record, and schedules the next comparison.
import { addDays, type CivilDay, civilDay, momentOn } from '../../lib/civil-days.ts';
import type { Rail } from '../../rails/rail.ts';
import type { WatchedRail } from '../../rails/watched-rails.ts';
import type { Sql } from '../../storage/database.ts';
import type { Refund } from '../charge.ts';
import { comparable } from './money.ts';

type RailName = Pick<Rail, 'name' | 'method'>;
type SameList = Pick<WatchedRail, 'rail' | 'names'>;

export type RecordedRefund = Pick<Refund, 'id' | 'kind' | 'amountCents' | 'status' | 'reference'> & {
  readonly submittedAt?: Date;
  /** Its amount in the ledger. */
  readonly ledgerCents: bigint;
};

export type RecordedPayment = {
  readonly chargeId: string;
  readonly reference: string;
  /** The other reference of a boleto that was paid by pix. */
  readonly alsoReportedAs?: string;
  readonly amountCents: bigint;
  readonly ledgerCents: bigint;
  readonly refunds: readonly RecordedRefund[];
};

type PaymentRow = {
  charge_id: string;
  reference: string;
  also_reported_as: string | null;
  amount_cents: string;
  ledger_cents: string;
  refunds: {
    id: string;
    kind: Refund['kind'];
    amount_cents: string;
    status: Refund['status'];
    reference: string | null;
    submitted_at: string | null;
    ledger_cents: string;
  }[];
};

const PAID = `
  (select coalesce(sum(l.amount), 0)::text
     from ledger_entries e
     join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
    where e.cause_id = p.id and e.account_id = p.account_id and e.kind = 'payment' and l.book = 'payer')`;

/** The end of a refund that a person recorded has the dispute as its cause, and the bank may have undone it. */
const REFUNDED = `
  (select coalesce(sum(l.amount), 0)::text
     from ledger_entries e
     join ledger_lines l on l.entry_id = e.id and l.account_id = e.account_id
    where e.cause_id = any (array[r.id, (select d.id from disputes d where d.refund_id = r.id and d.account_id = r.account_id)])
      and e.account_id = r.account_id and e.kind in ('refund', 'refund_undone') and l.book = 'refund')`;

const PAYMENTS = `
  select p.charge_id, p.reference, p.also_reported_as, p.amount_cents, ${PAID} as ledger_cents,
         (select coalesce(json_agg(json_build_object(
                   'id', r.id, 'kind', r.kind, 'amount_cents', r.amount_cents::text, 'status', r.status,
                   'reference', r.reference, 'submitted_at', r.submitted_at,
                   'ledger_cents', ${REFUNDED}) order by r.created_at, r.id), '[]')
            from refunds r
           where r.charge_id = p.charge_id and r.account_id = p.account_id and r.payment_id = p.id) as refunds
    from payments p
   where`;

/** A boleto paid by pix that the bank reported only as a pix is not in its list of boletos. */
const OF_RAIL = `p.rail = any($1) and p.method = $2
     and not (p.is_by_pix and p.also_reported_as is null and p.reference ~ '^[0-9A-Za-z]{32}$')`;

export async function paymentsBetween(
  sql: Sql,
  { rail: { method }, names }: SameList,
  from: Date,
  to: Date,
): Promise<RecordedPayment[]> {
  const rows = await sql.query<PaymentRow>(
    `${PAYMENTS} ${OF_RAIL} and p.paid_at >= $3 and p.paid_at < $4 order by p.paid_at, p.id`,
    [names, method, from, to],
  );
  return rows.map(toPayment);
}

export async function paymentsByReference(
  sql: Sql,
  { rail: { method } }: SameList,
  references: readonly string[],
): Promise<RecordedPayment[]> {
  // A person may have recorded it on a charge of any rail.
  const rails = await sql.query<{ name: string }>('select distinct name from rails');
  const rows = await sql.query<PaymentRow>(
    `${PAYMENTS} p.rail = any($1) and (p.method = $2 or p.is_by_pix)
        and (lower(p.reference collate "C") = any($3) or lower(p.also_reported_as collate "C") = any($3))
      order by p.paid_at, p.id`,
    [rails.map(({ name }) => name), method, references.map(comparable)],
  );
  return rows.map(toPayment);
}

function toPayment({ charge_id, reference, also_reported_as, ...row }: PaymentRow): RecordedPayment {
  const { amount_cents, ledger_cents, refunds } = row;
  return {
    chargeId: charge_id,
    reference,
    ...(also_reported_as !== null && { alsoReportedAs: also_reported_as }),
    amountCents: BigInt(amount_cents),
    // Incoming money is debited from the book `payer`.
    ledgerCents: -BigInt(ledger_cents),
    refunds: refunds.map(refund => ({
      id: refund.id,
      kind: refund.kind,
      amountCents: BigInt(refund.amount_cents),
      status: refund.status,
      ...(refund.reference !== null && { reference: refund.reference }),
      ...(refund.submitted_at !== null && { submittedAt: new Date(refund.submitted_at) }),
      ledgerCents: BigInt(refund.ledger_cents),
    })),
  };
}

/** The charges that the rails know by these references. */
export async function chargesByReference(
  sql: Sql,
  { rail: { method }, names }: SameList,
  references: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql.query<{ reference: string; charge_id: string }>(
    'select reference, charge_id from charge_methods where reference = any($3) and rail = any($1) and method = $2',
    [names, method, references],
  );
  return new Map(rows.map(row => [row.reference, row.charge_id]));
}

/** The unmatched receipts with these references, and whether a person has decided about each. */
export async function keptUnmatched(sql: Sql, references: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await sql.query<{ reference: string; is_decided: boolean }>(
    `select reference, decided_at is not null as is_decided
       from unmatched_receipts where lower(reference collate "C") = any($1)`,
    [references.map(comparable)],
  );
  return new Map(rows.map(row => [comparable(row.reference), row.is_decided]));
}

/** In São Paulo, long after the sweeps of the day before, when few people pay. */
const COMPARES_AT_HOUR = 3;

/** When the day after a compared one is due. */
function nextComparison(comparedDay: CivilDay): Date {
  return momentOn(addDays(comparedDay, 2), COMPARES_AT_HOUR);
}

/** Where a new rail starts: its first day is incomplete. */
export function firstComparison(at: Date): { readonly comparedDay: CivilDay; readonly nextAt: Date } {
  const comparedDay = civilDay(at);
  return { comparedDay, nextAt: nextComparison(comparedDay) };
}

/** The day of a rail that is to be compared, if one is due. */
export async function findDueDay(sql: Sql, { name, method }: RailName, now: Date): Promise<CivilDay | undefined> {
  const [row] = await sql.query<{ compared_day: CivilDay }>(
    `select to_char(compared_day, 'YYYY-MM-DD') as compared_day from rails
      where name = $1 and method = $2 and next_compare_at <= $3`,
    [name, method, now],
  );
  return row && addDays(row.compared_day, 1);
}

/** Reschedules a day that could not be compared. */
export async function postponeComparison(
  sql: Sql,
  { name, method }: RailName,
  day: CivilDay,
  nextAt: Date,
): Promise<void> {
  await sql.query('update rails set next_compare_at = $4 where name = $1 and method = $2 and compared_day < $3', [
    name,
    method,
    day,
    nextAt,
  ]);
}

export async function endComparison(
  sql: Sql,
  { name, method }: RailName,
  day: CivilDay,
  differences: number,
  at: Date,
): Promise<void> {
  await sql.query(
    `update rails set compared_day = $3, differences = $4, compared_at = $5, next_compare_at = $6
      where name = $1 and method = $2 and compared_day < $3`,
    [name, method, day, differences, at, nextComparison(day)],
  );
}
