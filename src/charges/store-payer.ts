// The SQL of what is known of one payer: found by their document, for those who ask what is kept and for those who want it gone.
import { payerDocumentIn } from '../rails/statement/payer-document.ts';
import type { Database, Row, Sql } from '../storage/database.ts';
import type { ChargeState } from './charge.ts';

/** Charges in one of these states can still be paid, so their payer must be known. */
export const PAYABLE_STATES = ['CREATING', 'ACTIVE', 'OVERDUE'] as const satisfies ChargeState[];

export type ChargeOfPayer = { readonly id: string; readonly state: ChargeState };

/** The charges of a payer, oldest first. Few ask, so there is no index, and all charges are read. */
export function findChargesOfPayer(db: Database, document: string): Promise<ChargeOfPayer[]> {
  return db.transaction(
    async tx => {
      await tx.query('set local statement_timeout = 0');
      return tx.query<ChargeOfPayer>(`select id, state from charges where customer ->> 'document' = $1 order by id`, [
        document,
      ]);
    },
    { isLong: true },
  );
}

/** Payments that a statement said this document made, of whichever charge. */
export async function findPaymentsOfPayer(sql: Sql, document: string) {
  return sql.query<{ id: string; charge_id: string; reference: string; amount_cents: string; paid_at: Date }>(
    `select id, charge_id, reference, amount_cents, paid_at from payments where payer_document = $1 order by paid_at, id`,
    [document],
  );
}

/** Unmatched receipts whose words hold this document. */
export async function findReceiptsOfPayer(
  sql: Sql,
  document: string,
): Promise<{ readonly reference: string; readonly words: string }[]> {
  const rows = await sql.query<Row & { reference: string; words: string }>(
    `select reference, words from unmatched_receipts
      where position($1 in regexp_replace(upper(words), '[^0-9A-Z]', '', 'g')) > 0 order by reference`,
    [document],
  );
  return rows.filter(({ words }) => payerDocumentIn(words) === document);
}

/** What banks sent of their own accord and named this document in; what is not read yet will be, and is then removed in days. */
export async function findNotificationsOfPayer(sql: Sql, document: string) {
  return sql.query<{ id: string; rail: string; body: string; received_at: Date }>(
    `select id, rail, body, received_at from notifications
      where position($1 in body) > 0 and handled_at is not null order by received_at, id`,
    [document],
  );
}

/** Puts `customer` in the place of who the charges are for, and removes what callers wrote about them. */
export async function eraseCustomers(tx: Sql, ids: readonly string[], customer: object): Promise<void> {
  await tx.query('update charges set customer = $2, description = null, metadata = null where id = any($1)', [
    ids,
    JSON.stringify(customer),
  ]);
}

/** Amounts, days and references stay. */
export async function eraseReports(
  tx: Sql,
  document: string,
  found: { readonly receipts: readonly string[]; readonly notifications: readonly string[] },
): Promise<void> {
  await tx.query('update payments set payer_document = null where payer_document = $1', [document]);
  await tx.query(`update unmatched_receipts set words = 'erased' where reference = any($1)`, [found.receipts]);
  await tx.query(`update notifications set body = '{}' where id = any($1)`, [found.notifications]);
}
