// The SQL of the data about one payer, found by their document: to export it or to erase it.
import { areOfTwoPayers, payerDocumentsIn } from '../../rails/statement/payer-document.ts';
import type { Row, Sql } from '../../storage/database.ts';
import type { ChargeState } from '../charge.ts';
import { RETIRED } from '../issue/retire.ts';

/** Charges in one of these states can still be paid, so their payer must be known. */
export const PAYABLE_STATES = ['CREATING', 'ACTIVE', 'OVERDUE'] as const satisfies ChargeState[];

/** Replaces an erased text. */
const ERASED = 'erased';

type ChargeOfPayer = { readonly id: string; readonly state: ChargeState };

/** The charges of a payer, oldest first. */
export async function findChargesOfPayer(sql: Sql, document: string): Promise<ChargeOfPayer[]> {
  return sql.query<ChargeOfPayer>(`select id, state from charges where customer ->> 'document' = $1 order by id`, [
    document,
  ]);
}

export type Unanswered = { readonly chargeId: string; readonly rail: string; readonly sequence?: number };

/**
 * The first of these charges with an instruction that no file has yet, or whose file (with this sequence) the bank has not answered: sending
 * it (again) would name the payer. A write-off may not be an instruction yet, because a job creates it.
 */
export async function findUnanswered(sql: Sql, chargeIds: readonly string[]): Promise<Unanswered | undefined> {
  const [row] = await sql.query<{ charge_id: string; rail: string; sequence: number | null }>(
    `select i.charge_id, i.rail, i.sequence
       from boleto_instructions i
       join charge_methods m on m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto'
      where i.charge_id = any($1) and i.dropped_at is null and i.closed_at is null
        and (i.sequence is not null or i.movement <> 'register' or m.status = 'CREATING')
      union all
     select i.charge_id, i.rail, null
       from boleto_instructions i
       join charge_methods m on m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto'
      where i.charge_id = any($1) and i.movement = 'register' and coalesce(i.sequence, i.former_sequence) is not null
        and m.status = any($2)
        and not exists (select from boleto_instructions w
                         where w.charge_id = i.charge_id and w.account_id = i.account_id and w.movement = 'write_off')
        and not exists (select from boleto_return_entries e
                         where e.charge_id = i.charge_id and e.account_id = i.account_id and e.outcome = 'written_off')
      order by charge_id, sequence
      limit 1`,
    [chargeIds, RETIRED],
  );
  if (!row) return undefined;
  const { charge_id: chargeId, rail, sequence } = row;
  return { chargeId, rail, ...(sequence !== null && { sequence }) };
}

/** Payments of any charge that a statement attributes to this document. */
export async function findPaymentsOfPayer(sql: Sql, document: string) {
  return sql.query<{ id: string; charge_id: string; reference: string; amount_cents: string; paid_at: Date }>(
    `select id, charge_id, reference, amount_cents, paid_at from payments where payer_document = $1 order by paid_at, id`,
    [document],
  );
}

/**
 * Unmatched receipts whose text has this document, and those of the payer's charges, by txid or by a payment: there a bank often names
 * the payer with some digits hidden, or without a document.
 */
export async function findReceiptsOfPayer(
  sql: Sql,
  document: string,
  chargeIds: readonly string[],
): Promise<{ readonly reference: string; readonly words: string }[]> {
  const rows = await sql.query<Row & { reference: string; words: string; is_of_charge: boolean }>(
    `with txids as materialized (
       select reference from charge_methods where charge_id = any($2) and reference is not null
     ), paid as materialized (
       select lower(reference collate "C") as reference from payments where charge_id = any($2)
     ), receipts as materialized (
       select reference, words,
              coalesce(txid in (select reference from txids), false)
                or lower(reference collate "C") in (select reference from paid) as is_of_charge
         from unmatched_receipts
     )
     select reference, words, is_of_charge from receipts
      where words <> $3 and (is_of_charge or position($1 in regexp_replace(upper(words), '[^0-9A-Z]', '', 'g')) > 0)
      order by reference`,
    [document, chargeIds, ERASED],
  );
  return rows
    .filter(({ words, is_of_charge: isOfCharge }) => namesPayer(payerDocumentsIn(words), document, isOfCharge))
    .map(({ reference, words }) => ({ reference, words }));
}

/** Someone else may have paid a charge: a receipt that names only them is not this payer's. */
function namesPayer(documents: readonly string[], document: string, isOfCharge: boolean): boolean {
  return documents.includes(document) || (isOfCharge && documents.every(each => !areOfTwoPayers(each, document)));
}

/** Handled notifications that name this document; those not handled yet are removed some days after they are. */
export async function findNotificationsOfPayer(sql: Sql, document: string) {
  return sql.query<{ id: string; rail: string; body: string; received_at: Date }>(
    `select id, rail, body, received_at from notifications
      where position($1 in body) > 0 and handled_at is not null order by received_at, id`,
    [document],
  );
}

/** Files to banks that have, or had, instructions of these charges, and whether their bytes are still stored. */
export async function findFilesOfCharges(sql: Sql, chargeIds: readonly string[]) {
  return sql.query<{ rail: string; sequence: number; made_at: Date; has_bytes: boolean }>(
    `select f.rail, f.sequence, f.made_at, f.bytes_removed_at is null as has_bytes
       from boleto_files f
      where (f.rail, f.sequence) in (
        select i.rail, sent.sequence
          from boleto_instructions i cross join lateral (values (i.sequence), (i.former_sequence)) as sent (sequence)
         where i.charge_id = any($1))
      order by f.rail, f.sequence`,
    [chargeIds],
  );
}

/**
 * Replaces the customer of the charges by `customer`, and removes what callers wrote about them and what banks reported about who paid
 * them, also where digits are hidden.
 */
export async function eraseCustomers(tx: Sql, ids: readonly string[], customer: object): Promise<void> {
  await tx.query('update charges set customer = $2, description = null, metadata = null where id = any($1)', [
    ids,
    JSON.stringify(customer),
  ]);
  await tx.query('update payments set payer_document = null where charge_id = any($1) and payer_document is not null', [
    ids,
  ]);
}

type Reports = {
  readonly payments: readonly { readonly id: string }[];
  readonly receipts: readonly { readonly reference: string }[];
  readonly notifications: readonly { readonly id: string }[];
};

/** Amounts, days and references stay. */
export async function eraseReports(tx: Sql, { payments, receipts, notifications }: Reports): Promise<void> {
  await tx.query('update payments set payer_document = null where id = any($1)', [payments.map(({ id }) => id)]);
  await tx.query('update unmatched_receipts set words = $2 where reference = any($1)', [
    receipts.map(({ reference }) => reference),
    ERASED,
  ]);
  await tx.query(`update notifications set body = '{}' where id = any($1)`, [notifications.map(({ id }) => id)]);
}
