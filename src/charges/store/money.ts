// The SQL of payments and refunds.
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { normalReference } from '../receive/payment-reference.ts';

/** Inserts payments and returns how many: one whose reference another transaction has recorded meanwhile is skipped. */
export async function insertPayments(
  tx: Sql,
  payments: readonly {
    readonly before: Charge;
    readonly rail: string;
    readonly payment: Payment;
    readonly reportedBy?: string | undefined;
  }[],
  at: Date,
): Promise<number> {
  const records = payments.map(({ before: { id, accountId }, rail, payment, reportedBy }) => ({
    id: payment.id,
    account_id: accountId,
    charge_id: id,
    method: payment.method,
    rail,
    amount_cents: String(payment.amountCents),
    paid_at: payment.paidAt,
    source: payment.source,
    reference: payment.reference,
    timing: payment.timing,
    is_repeat: payment.isRepeat,
    came_after: payment.cameAfter,
    payer_document: payment.payerDocument,
    fee_cents: payment.feeCents?.toString(),
    discount_cents: payment.discountCents?.toString(),
    abatement_cents: payment.abatementCents?.toString(),
    credit_day: payment.creditDay,
    channel: payment.channel,
    is_by_pix: payment.isByPix ?? false,
    reported_by: reportedBy,
  }));
  const rows = await tx.query(
    `insert into payments (id, account_id, charge_id, method, rail, amount_cents, paid_at, source, reference, timing, is_repeat,
                           came_after, payer_document, fee_cents, discount_cents, abatement_cents, credit_day, channel, is_by_pix,
                           reported_by, recorded_at)
     select id, account_id, charge_id, method, rail, amount_cents, paid_at, source, reference, timing, is_repeat, came_after,
            payer_document, fee_cents, discount_cents, abatement_cents, credit_day, channel, is_by_pix, reported_by, $2
       from json_to_recordset($1) as new_payment (
              id uuid, account_id text, charge_id uuid, method text, rail text, amount_cents bigint,
              paid_at timestamptz, source text, reference text, timing text, is_repeat boolean, came_after text,
              payer_document text, fee_cents bigint, discount_cents bigint, abatement_cents bigint, credit_day date,
              channel text, is_by_pix boolean, reported_by text)
     on conflict (rail, lower(reference collate "C")) do nothing
     returning id`,
    [JSON.stringify(records), at],
    { name: 'insert_payments' },
  );
  return rows.length;
}

/**
 * Who reported the payments of a charge by hand or in a file, or recorded that a dispute about one was won and the bank has not reported
 * it yet, as the audit log names them.
 */
export async function listReporters(sql: Sql, chargeId: string, accountId: string): Promise<readonly string[]> {
  const rows = await sql.query<{ reported_by: string }>(
    `select reported_by from payments where charge_id = $1 and account_id = $2 and reported_by is not null
      union
     select closed_by from disputes
      where charge_id = $1 and account_id = $2 and status = 'won' and closed_by is not null and confirmed_at is null
      order by reported_by`,
    [chargeId, accountId],
  );
  return rows.map(row => row.reported_by);
}

/** Which of a bank's references are recorded on any rail, by `comparable` reference. */
export async function findRecorded(sql: Sql, references: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ reference: string }>(
    `select p.reference
       from (select distinct name from rails) rail
       join payments p on p.rail = rail.name and lower(p.reference collate "C") = any($1)
      union all
     select p.also_reported_as from payments p
      where p.also_reported_as is not null and lower(p.also_reported_as collate "C") = any($1)`,
    [references.map(comparable)],
  );
  return new Set(rows.map(({ reference }) => comparable(reference)));
}

/** Transactions that record the same pix wait for each other, even on different rails. */
export async function lockReferences(tx: Sql, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended(reference, $2))
       from (select distinct unnest($1::text[]) as reference order by 1) as sorted`,
    [references.map(comparable), REFERENCE_LOCKS],
  );
}

/** The namespace of advisory locks on references. */
const REFERENCE_LOCKS = 35;

/** Which of the references are recorded, by `referenceKey`. */
export async function findReferences(
  tx: Sql,
  references: readonly { readonly rail: string; readonly reference: string }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ rail: string; reference: string }>(
    `select p.rail, p.reference
       from unnest($1::text[], $2::text[]) as r (rail, reference)
       join payments p on p.rail = r.rail and lower(p.reference collate "C") = r.reference
      union all
     select p.rail, p.also_reported_as
       from unnest($1::text[], $2::text[]) as r (rail, reference)
       join payments p on p.rail = r.rail and p.also_reported_as is not null
                          and lower(p.also_reported_as collate "C") = r.reference`,
    [references.map(({ rail }) => rail), references.map(({ reference }) => comparable(reference))],
  );
  return new Set(rows.map(row => referenceKey(row.rail, row.reference)));
}

/** A recorded refund, to compare with a return that a bank reports. */
export type KnownReturn = Pick<Refund, 'id' | 'reference' | 'status' | 'disputeId' | 'isUnconfirmed'>;

/** The refunds out of recorded payments of any rail, by `comparable` reference of the payment. */
export async function findKnownReturns(
  sql: Sql,
  references: readonly string[],
): Promise<ReadonlyMap<string, readonly KnownReturn[]>> {
  if (references.length === 0) return new Map();
  type Found = {
    payment_reference: string;
    id: string;
    reference: string | null;
    status: Refund['status'];
    dispute_id: string | null;
    is_unconfirmed: boolean;
  };
  const rows = await sql.query<Found>(
    `select p.comparable as payment_reference, r.id, r.reference, r.status, d.id as dispute_id,
            d.closed_by is not null and d.confirmed_at is null as is_unconfirmed
       from (select p.id, p.charge_id, p.account_id, p.reference as comparable
               from (select distinct name from rails) rail
               join payments p on p.rail = rail.name and lower(p.reference collate "C") = any($1)
              union all
             select p.id, p.charge_id, p.account_id, p.also_reported_as from payments p
              where p.also_reported_as is not null and lower(p.also_reported_as collate "C") = any($1)) p
       join refunds r on r.charge_id = p.charge_id and r.account_id = p.account_id and r.payment_id = p.id
       left join disputes d on d.refund_id = r.id and d.account_id = r.account_id`,
    [references.map(comparable)],
  );
  const found = Map.groupBy(rows, row => comparable(row.payment_reference));
  return new Map(
    [...found].map(([key, refunds]) => [
      key,
      refunds.map(({ id, reference, status, dispute_id: disputeId, is_unconfirmed: isUnconfirmed }) => ({
        id,
        status,
        ...(reference !== null && { reference }),
        ...(disputeId !== null && { disputeId }),
        ...(isUnconfirmed && { isUnconfirmed }),
      })),
    ]),
  );
}

/**
 * Whether a payment by pix of this amount, of a charge or by the code of its boleto, has the reference, on any rail. The index
 * begins with the rail, so each rail is looked up by itself; there are a few.
 */
export async function isRecorded(sql: Sql, reference: string, amountCents: bigint): Promise<boolean> {
  const [row] = await sql.query<{ is_recorded: boolean }>(
    `with recursive rails as (
       select min(rail) as rail from payments
        union all
       select (select min(p.rail) from payments p where p.rail > rails.rail) from rails where rails.rail is not null
     )
     select exists (
       select from rails
         join payments p on p.rail = rails.rail and lower(p.reference collate "C") = $1
        where (p.method = 'pix' or p.is_by_pix) and p.amount_cents = $2
     ) or exists (
       select from payments p
        where p.is_by_pix and lower(p.also_reported_as collate "C") = $1 and p.amount_cents = $2
     ) as is_recorded`,
    [comparable(reference), amountCents],
  );
  return row!.is_recorded;
}

export function referenceKey(rail: string, reference: string): string {
  return `${rail} ${comparable(reference)}`;
}

/** The same for every spelling of a reference. Like `lower(… collate "C")` in SQL, it changes ASCII letters alone. */
export function comparable(reference: string): string {
  return normalReference(reference).replace(/[A-Z]+/g, letters => letters.toLowerCase());
}

/** The idempotency key of a refund request, and the hash of its content. */
type RefundKey = { readonly key: string | undefined; readonly contentHash: string };

export async function insertRefund(
  tx: Sql,
  charge: Charge,
  refund: Refund,
  { key, contentHash }: RefundKey,
): Promise<void> {
  await tx.query(
    `insert into refunds (id, account_id, charge_id, payment_id, amount_cents, status, idempotency_key, content_hash,
                          created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, decode($8, 'hex'), $9, $9)`,
    [
      refund.id,
      charge.accountId,
      charge.id,
      refund.paymentId,
      refund.amountCents,
      refund.status,
      key,
      contentHash,
      refund.createdAt,
    ],
  );
}

export async function findRefundByKey(
  tx: Sql,
  charge: Charge,
  key: string,
): Promise<{ id: string; contentHash: string } | undefined> {
  const [row] = await tx.query<{ id: string; content_hash: string }>(
    `select id, encode(content_hash, 'hex') as content_hash from refunds
      where charge_id = $1 and account_id = $2 and idempotency_key = $3`,
    [charge.id, charge.accountId, key],
  );
  return row && { id: row.id, contentHash: row.content_hash };
}

/** Marks a refund as submitted before it is sent to its rail. Returns false when it was marked before. */
export async function markRefundSubmitted(tx: Sql, charge: Charge, id: string, at: Date): Promise<boolean> {
  const rows = await tx.query(
    'update refunds set submitted_at = $3 where id = $1 and account_id = $2 and submitted_at is null returning id',
    [id, charge.accountId, at],
  );
  return rows.length > 0;
}

export async function updateRefund(
  tx: Sql,
  charge: Charge,
  id: string,
  { status, reason }: Pick<Refund, 'status' | 'reason'>,
  at: Date,
): Promise<void> {
  await tx.query('update refunds set status = $3, reason = $4, updated_at = $5 where id = $1 and account_id = $2', [
    id,
    charge.accountId,
    status,
    reason,
    at,
  ]);
}

type CommittedMoney = { readonly charge: Charge; readonly cents: bigint };

/** Records how much of the money of charges is converted into crypto. The caller holds their row locks. */
export async function commitMoney(tx: Sql, committed: readonly CommittedMoney[]): Promise<void> {
  if (committed.length === 0) return;
  await tx.query(
    `update charges c set committed_cents = m.cents
       from unnest($1::uuid[], $2::text[], $3::bigint[]) as m (id, account_id, cents)
      where c.id = m.id and c.account_id = m.account_id`,
    [
      committed.map(({ charge }) => charge.id),
      committed.map(({ charge }) => charge.accountId),
      committed.map(({ cents }) => cents),
    ],
  );
}

/** Inserts a return that a bank began by itself. */
export async function insertReturn(tx: Sql, charge: Charge, refund: Refund): Promise<void> {
  await tx.query(
    `insert into refunds (id, account_id, charge_id, payment_id, kind, amount_cents, status, reason, reference, created_at,
                          updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)`,
    [
      refund.id,
      charge.accountId,
      charge.id,
      refund.paymentId,
      refund.kind,
      refund.amountCents,
      refund.status,
      refund.reason,
      refund.reference,
      refund.createdAt,
    ],
  );
}

/** A charge that is paid under a reference, and what was asked for under it, where that is not what is owed on the day. */
export type ReferencedCharge = { readonly chargeId: string; readonly askedCents?: bigint };

/** The charge that one of the rails knows by this reference. */
export async function findChargeByReference(
  sql: Sql,
  rails: readonly string[],
  method: Method,
  reference: string,
): Promise<ReferencedCharge | undefined> {
  const [row] = await sql.query<{ charge_id: string; asked_cents: string | null }>(
    `select charge_id, null as asked_cents from charge_methods where reference = $1 and rail = any($2) and method = $3
     union all
     select charge_id, amount_cents from charge_references where reference = $1 and rail = any($2) and method = $3`,
    [reference, rails, method],
  );
  return row && { chargeId: row.charge_id, ...(row.asked_cents !== null && { askedCents: BigInt(row.asked_cents) }) };
}

/** The charge on which a payment is recorded under this reference, on any rail: a person may have chosen the rail. */
export async function findChargeOfPayment(sql: Sql, reference: string): Promise<string | undefined> {
  const [row] = await sql.query<{ charge_id: string }>(
    `select charge_id
       from (select p.charge_id, p.recorded_at
               from (select distinct name from rails) rail
               join payments p on p.rail = rail.name and lower(p.reference collate "C") = $1
              union all
             select p.charge_id, p.recorded_at from payments p
              where p.also_reported_as is not null and lower(p.also_reported_as collate "C") = $1) as known
      order by recorded_at
      limit 1`,
    [comparable(reference)],
  );
  return row?.charge_id;
}

/** The charge whose boleto carries the code of a pix, by its txid or by the location in the code. */
export async function findChargeByBoletoPix(
  sql: Sql,
  by: 'txid' | 'location',
  value: string,
): Promise<string | undefined> {
  const [row] = await sql.query<{ charge_id: string }>(
    `select charge_id from charge_methods
      where method = 'boleto' and instrument ? 'pix' and instrument -> 'pix' ->> '${by}' = $1
      limit 1`,
    [value],
  );
  return row?.charge_id;
}

/** Whether there are boletos whose pix has a txid that the bank did not report. */
export async function hasBoletosByLocation(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    `select from charge_methods
      where method = 'boleto' and instrument ? 'pix' and instrument -> 'pix' ->> 'location' is not null
        and instrument -> 'pix' ->> 'txid' is null
      limit 1`,
  );
  return rows.length > 0;
}

/** Records that the bank has reported payments under a second reference, and its fee if only that report has it. */
export async function storeOtherReferences(
  tx: Sql,
  reported: readonly {
    readonly charge: Charge;
    readonly payment: Payment;
    readonly reference: string;
    readonly feeCents?: bigint;
  }[],
): Promise<void> {
  if (reported.length === 0) return;
  await tx.query(
    `update payments p set also_reported_as = again.reference, fee_cents = coalesce(p.fee_cents, again.fee_cents)
       from unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[]) as again (id, account_id, reference, fee_cents)
      where p.id = again.id and p.account_id = again.account_id and p.also_reported_as is null`,
    [
      reported.map(({ payment }) => payment.id),
      reported.map(({ charge }) => charge.accountId),
      reported.map(({ reference }) => reference),
      reported.map(({ feeCents }) => feeCents?.toString()),
    ],
  );
}

/** Whether a payment is known by this reference, as its first or its second one. */
export function hasReference({ reference, alsoReportedAs }: Payment, reported: string): boolean {
  return [reference, alsoReportedAs].some(known => known !== undefined && comparable(known) === comparable(reported));
}

/** The charge whose pix has this txid. */
export async function findChargeByTxid(sql: Sql, txid: string): Promise<string | undefined> {
  const [row] = await sql.query<{ charge_id: string }>(
    `select charge_id from charge_methods where method = 'pix' and reference = $1`,
    [txid],
  );
  return row?.charge_id;
}
