// Finds everything stored about one payer, by their document.
import { findCustomersOfPayer } from '../billing/customers/store.ts';
import { findMandatesOfCustomers } from '../billing/mandates/store.ts';
import {
  findChargesOfPayer,
  findNotificationsOfPayer,
  findPaymentsOfPayer,
  findReceiptsOfPayer,
  findUnanswered,
} from '../charges/store/payer.ts';
import { type AuditLine, auditLineAbout } from '../lib/audit-context.ts';
import type { Database } from '../storage/database.ts';
import { longTransaction } from '../storage/long-transaction.ts';
import { findDeclarationsOf } from '../wallets/store-ownership.ts';

export type Known = Awaited<ReturnType<typeof findKnown>>;

/** Requests are rare, so documents have no index: whole tables are read, which may take a while. */
export function findKnown(db: Database, document: string) {
  return longTransaction(db, async tx => {
    const charges = await findChargesOfPayer(tx, document);
    const ids = charges.map(({ id }) => id);
    const customers = await findCustomersOfPayer(tx, document);
    return {
      charges,
      /** For one of the charges: an instruction that its bank must answer before the payer is erased. */
      unanswered: await findUnanswered(tx, ids),
      payments: await findPaymentsOfPayer(tx, document),
      receipts: await findReceiptsOfPayer(tx, document, ids),
      notifications: await findNotificationsOfPayer(tx, document),
      declarations: await findDeclarationsOf(tx, document),
      customers,
      mandates: await findMandatesOfCustomers(
        tx,
        customers.map(({ id }) => id),
      ),
    };
  });
}

/** Charges that are read, or erased, in one transaction. */
const BATCH_SIZE = 100;

/** The ids of the charges, batch by batch. */
export function batchesOf({ charges }: Known): string[][] {
  return Array.from({ length: Math.ceil(charges.length / BATCH_SIZE) }, (_, index) =>
    charges.slice(index * BATCH_SIZE, (index + 1) * BATCH_SIZE).map(({ id }) => id),
  );
}

export function linesAbout(ids: readonly string[]): AuditLine[] {
  return ids.flatMap(id => auditLineAbout(id) ?? []);
}
