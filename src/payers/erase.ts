// Erases the personal data of a payer from the database (LGPD, article 18). Money, days, references and every proof stay: the ledger and
// the audit log contain only ids.
import { eraseCustomers as eraseRecords } from '../billing/customers/erase.ts';
import { findCustomersOfPayer } from '../billing/customers/store.ts';
import { erasePlans } from '../billing/instalments/erase.ts';
import { hasEnded } from '../billing/mandates/mandate.ts';
import { eraseFromReminders } from '../billing/reminders/store.ts';
import type { CustomerType } from '../charges/charge.ts';
import { eraseDisputes } from '../charges/disputes/erase.ts';
import { lockCharges } from '../charges/store/charges.ts';
import { eraseCustomers, eraseReports, PAYABLE_STATES, type Unanswered } from '../charges/store/payer.ts';
import { eraseFromEvents, eraseWebhookAnswers } from '../events/erase.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { eraseFromAnswers } from '../orders/store-payer.ts';
import { insertAuditLines } from '../storage/audit.ts';
import type { Database, Sql } from '../storage/database.ts';
import { eraseDeclarations } from '../wallets/store-ownership.ts';
import { batchesOf, findKnown, type Known, linesAbout } from './find.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

type Erased = {
  readonly charges: number;
  readonly orders: number;
  readonly events: number;
  readonly payments: number;
  readonly receipts: number;
  readonly notifications: number;
  readonly declarations: number;
  readonly customers: number;
};

/**
 * Replaces names, documents, addresses and contacts by «erased» and zeros. Refuses, and changes nothing, while a charge can still be paid
 * or an instruction about its boleto waits for a bank. After a crash, running it again continues: the charges are erased last, because
 * receipts are found by them.
 */
export async function erasePayer({ db, clock }: Deps, document: string): Promise<Erased> {
  const known = await findKnown(db, document);
  refuseOpen(known);
  await db.transaction(async tx => {
    await eraseReports(tx, known);
    await eraseDeclarations(tx, document);
    const customers = await findCustomersOfPayer(tx, document, true);
    await eraseRecords(tx, customers, clock.now());
    await insertAuditLines(tx, linesAbout(customers.map(({ id }) => id)));
  });
  const customer = { name: 'erased', document: '0'.repeat(document.length), type: typeOf(document) };
  let [orders, events] = [0, 0];
  for (const batch of batchesOf(known)) {
    const erased = await db.transaction(tx => eraseCharges(tx, batch, customer, clock.now()));
    orders += erased.orders;
    events += erased.events;
  }
  return {
    charges: known.charges.length,
    orders,
    events,
    payments: known.payments.length,
    receipts: known.receipts.length,
    notifications: known.notifications.length,
    declarations: known.declarations.length,
    customers: known.customers.length,
  };
}

async function eraseCharges(tx: Sql, ids: readonly string[], customer: object, at: Date) {
  // Orders and plans before charges, as everywhere, to prevent deadlocks.
  const orders = await eraseFromAnswers(tx, ids, customer);
  await erasePlans(tx, ids);
  await lockCharges(tx, ids);
  await eraseFromReminders(tx, ids);
  await eraseDisputes(tx, ids, at);
  await eraseCustomers(tx, ids, customer);
  const events = await eraseFromEvents(tx, ids, customer);
  await eraseWebhookAnswers(tx, ids);
  await insertAuditLines(tx, linesAbout(ids));
  return { orders, events };
}

/** Ends are final: after this check no charge becomes payable again, and no bank needs another instruction about one. */
function refuseOpen({ charges, unanswered, mandates }: Known): void {
  const payable = charges.find(({ state }) => PAYABLE_STATES.some(each => each === state));
  const reason = payable
    ? `Charge ${payable.id} can still be paid: cancel it first, or wait for its end.`
    : ((unanswered && unansweredReason(unanswered)) ?? reasonOfMandate(mandates));
  if (reason !== undefined) throw new AppError('wrong_state', `${reason} Nothing was erased.`);
}

/** Its payer is named to their bank until it ends. */
function reasonOfMandate(mandates: Known['mandates']): string | undefined {
  const open = mandates.find(mandate => !hasEnded(mandate));
  return open && `Mandate ${open.id} has not ended: cancel it first.`;
}

function unansweredReason({ chargeId, rail, sequence }: Unanswered): string {
  if (sequence === undefined) {
    return `No file has reported the end of charge ${chargeId} to the bank of ${rail} yet: make the file (trilho cnab write) and wait for the bank's answer.`;
  }
  return `The bank of ${rail} has not answered file ${sequence}, which names the payer of charge ${chargeId}: read its return file first (trilho cnab read), or send it again if the bank never received it (trilho cnab renew).`;
}

function typeOf(document: string): CustomerType {
  return document.length === CPF_DIGITS ? 'individual' : 'company';
}

const CPF_DIGITS = 11;
