// What is kept of a payer, for the payer who asks (LGPD, article 18): all of it, or without what names them. Money, days, references and
// every proof stay as they are: the ledger and the audit log hold ids alone.
import { eraseFromEvents, readEventsOf } from '../events/erase.ts';
import { type AuditLine, auditLineAbout } from '../lib/audit-context.ts';
import { AppError } from '../lib/errors.ts';
import { insertAuditLines } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import type { CustomerType } from './charge.ts';
import type { Links } from './links.ts';
import { findCharges, lockCharges } from './store.ts';
import {
  type ChargeOfPayer,
  eraseCustomers,
  eraseReports,
  findChargesOfPayer,
  findNotificationsOfPayer,
  findPaymentsOfPayer,
  findReceiptsOfPayer,
  PAYABLE_STATES,
} from './store-payer.ts';
import { chargeView } from './view.ts';

type Deps = { readonly db: Database };

/** Charges that are read, or erased in one transaction. */
const BATCH_SIZE = 100;

export type PayerRecord = { readonly kind: string; readonly record: object };

/** Everything, one record after the other, so that a payer of many charges needs no more memory than one of few. */
export async function* exportPayer(
  { db, links }: Deps & { readonly links: Links },
  document: string,
): AsyncGenerator<PayerRecord> {
  for (const batch of batchesOf(await findChargesOfPayer(db, document))) {
    await db.transaction(tx => insertAuditLines(tx, linesAbout(batch)));
    for (const charge of await findCharges(db, batch)) {
      yield { kind: 'charge', record: chargeView(links, charge) };
      for (const event of await readEventsOf(db, charge.id)) yield { kind: 'event', record: event };
    }
  }
  for (const payment of await findPaymentsOfPayer(db, document)) yield { kind: 'payment', record: payment };
  for (const receipt of await findReceiptsOfPayer(db, document)) yield { kind: 'receipt', record: receipt };
  for (const sent of await findNotificationsOfPayer(db, document)) yield { kind: 'notification', record: sent };
}

export type Erased = {
  readonly charges: number;
  readonly events: number;
  readonly payments: number;
  readonly receipts: number;
  readonly notifications: number;
};

/**
 * Puts «erased» and zeros in the place of names, documents, addresses and contacts. Refuses while a charge can still be paid, and
 * then changes nothing. Run again after a crash it goes on: what is erased is not found any more.
 */
export async function erasePayer({ db }: Deps, document: string): Promise<Erased> {
  const charges = await findChargesOfPayer(db, document);
  refusePayable(charges);
  const customer = { name: 'erased', document: '0'.repeat(document.length), type: typeOf(document) };
  let events = 0;
  for (const batch of batchesOf(charges)) {
    events += await db.transaction(async tx => {
      await lockCharges(tx, batch);
      await eraseCustomers(tx, batch, customer);
      await insertAuditLines(tx, linesAbout(batch));
      return eraseFromEvents(tx, batch, customer);
    });
  }
  return db.transaction(async tx => {
    const payments = await findPaymentsOfPayer(tx, document);
    const receipts = await findReceiptsOfPayer(tx, document);
    const notifications = await findNotificationsOfPayer(tx, document);
    await eraseReports(tx, document, {
      receipts: receipts.map(({ reference }) => reference),
      notifications: notifications.map(({ id }) => id),
    });
    const reports = { payments: payments.length, receipts: receipts.length, notifications: notifications.length };
    return { charges: charges.length, events, ...reports };
  });
}

function batchesOf(charges: readonly ChargeOfPayer[]): string[][] {
  return Array.from({ length: Math.ceil(charges.length / BATCH_SIZE) }, (_, index) =>
    charges.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE).map(({ id }) => id),
  );
}

function linesAbout(ids: readonly string[]): AuditLine[] {
  return ids.flatMap(id => auditLineAbout(id) ?? []);
}

/** An end is for good: no charge becomes payable again after this look. */
function refusePayable(charges: readonly ChargeOfPayer[]): void {
  const payable = charges.find(({ state }) => PAYABLE_STATES.some(each => each === state));
  if (!payable) return;
  const message = `Charge ${payable.id} can still be paid: cancel it first, or wait for its end. Nothing was erased.`;
  throw new AppError('wrong_state', message);
}

function typeOf(document: string): CustomerType {
  return document.length === CPF_DIGITS ? 'individual' : 'company';
}

const CPF_DIGITS = 11;
