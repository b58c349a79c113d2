// Exports everything stored about a payer, for a payer who asks (LGPD, article 18).
import { customerView } from '../billing/customers/view.ts';
import { findPlansOfCharges } from '../billing/instalments/store.ts';
import { instalmentPlanView } from '../billing/instalments/view.ts';
import { mandateView } from '../billing/mandates/view.ts';
import { findRemindersOf } from '../billing/reminders/store.ts';
import { reminderView } from '../billing/reminders/view.ts';
import { findOfCustomer } from '../billing/subscriptions/store.ts';
import { subscriptionView } from '../billing/subscriptions/view.ts';
import { readDisputesOfCharges } from '../charges/disputes/store.ts';
import { readEvidenceOfCharges } from '../charges/disputes/store-evidence.ts';
import { disputeView } from '../charges/disputes/view.ts';
import type { Links } from '../charges/links/links.ts';
import { findCharges } from '../charges/store/charges.ts';
import { findFilesOfCharges } from '../charges/store/payer.ts';
import { chargeView } from '../charges/view.ts';
import { readEventsOf } from '../events/erase.ts';
import { findOrdersOfCharges } from '../orders/store-payer.ts';
import { insertAuditLines, recordReading } from '../storage/audit.ts';
import type { Database } from '../storage/database.ts';
import { batchesOf, findKnown, linesAbout } from './find.ts';

type Deps = { readonly db: Database; readonly links: Links };

type PayerRecord = { readonly kind: string; readonly record: object };

/** Streams records one by one, so that a payer with many charges needs no more memory than one with few. */
export async function* exportPayer({ db, links }: Deps, document: string): AsyncGenerator<PayerRecord> {
  const known = await findKnown(db, document);
  // Also for a payer without charges: a person was looked up.
  await recordReading(db);
  for (const batch of batchesOf(known)) {
    await db.transaction(tx => insertAuditLines(tx, linesAbout(batch)));
    for (const charge of await findCharges(db, batch)) {
      yield { kind: 'charge', record: chargeView(links, charge) };
      for (const event of await readEventsOf(db, charge.id)) yield { kind: 'event', record: event };
      for (const reminder of await findRemindersOf(db, charge.id, charge.accountId)) {
        yield { kind: 'reminder', record: reminderView(reminder) };
      }
    }
    for (const dispute of await readDisputesOfCharges(db, batch)) {
      yield { kind: 'dispute', record: disputeView(dispute) };
      for (const event of await readEventsOf(db, dispute.id)) yield { kind: 'event', record: event };
    }
    for (const evidence of await readEvidenceOfCharges(db, batch)) yield { kind: 'evidence', record: evidence };
    for (const plan of await findPlansOfCharges(db, batch)) {
      yield { kind: 'instalment_plan', record: instalmentPlanView(links, plan) };
      for (const event of await readEventsOf(db, plan.id)) yield { kind: 'event', record: event };
    }
    for (const order of await findOrdersOfCharges(db, batch)) yield { kind: 'order', record: order };
    for (const file of await findFilesOfCharges(db, batch)) yield { kind: 'boleto_file', record: file };
  }
  await db.transaction(tx => insertAuditLines(tx, linesAbout(known.customers.map(({ id }) => id))));
  for (const customer of known.customers) {
    yield { kind: 'customer', record: customerView(customer) };
    for (const event of await readEventsOf(db, customer.id)) yield { kind: 'event', record: event };
    for (const subscription of await findOfCustomer(db, customer.id)) {
      yield { kind: 'subscription', record: subscriptionView(links, subscription) };
      for (const event of await readEventsOf(db, subscription.id)) yield { kind: 'event', record: event };
    }
  }
  for (const mandate of known.mandates) {
    yield { kind: 'mandate', record: { ...mandateView(mandate), payerAccount: mandate.payerAccount } };
    for (const event of await readEventsOf(db, mandate.id)) yield { kind: 'event', record: event };
  }
  for (const payment of known.payments) yield { kind: 'payment', record: payment };
  for (const receipt of known.receipts) yield { kind: 'receipt', record: receipt };
  for (const sent of known.notifications) yield { kind: 'notification', record: sent };
  for (const declaration of known.declarations) yield { kind: 'declaration', record: declaration };
}
