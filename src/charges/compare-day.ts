// Compares a bank's own record of a day with the payments and refunds recorded here, and those with the ledger. It changes
// nothing. What differs is read once more from both sides, because money moves meanwhile.

import { addDays, type CivilDay, momentOn } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rail, Receipt, ReceiptsByTime } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type Difference, differencesOf } from './difference.ts';
import { bankReferenceOf, referenceOnRail } from './payment-reference.ts';
import {
  chargesByReference,
  keptUnmatched,
  paymentsBetween,
  paymentsByReference,
  type RecordedPayment,
} from './store-compare-day.ts';
import { comparable } from './store-money.ts';

export type CompareDeps = { readonly db: Database; readonly clock: Clock };

export type ComparedDay = {
  /** Payments of the day at the bank, and here. */
  readonly atBank: number;
  readonly here: number;
  readonly differences: readonly Difference[];
};

/** Asked one by one; what is beyond is reported as it was read first. */
const MAX_READ_AGAIN = 1_000;

/** Throws `rail_unavailable` when the bank does not answer. */
export async function compareDay(
  deps: CompareDeps,
  rail: Rail,
  watch: ReceiptsByTime,
  day: CivilDay,
): Promise<ComparedDay> {
  const [from, to] = [momentOn(day), momentOn(addDays(day, 1))];
  const receipts = await readReceipts(watch, from, new Date(to.getTime() - 1));
  const recorded = await paymentsBetween(deps.db, rail, from, to);
  const known = new Set(recorded.map(payment => bankReference(rail, payment)));
  const others = receipts.filter(({ reference }) => !known.has(comparable(reference)));
  const ofOtherDays = await paymentsByReference(deps.db, rail, spellings(rail, others));
  const first = await compare(deps, rail, receipts, [...recorded, ...ofOtherDays]);
  const counts = {
    atBank: receipts.filter(({ paidAt }) => paidAt >= from && paidAt < to).length,
    here: recorded.length,
  };
  const suspects = [...new Set(first.map(({ reference }) => reference))];
  const readAgain = new Set(suspects.slice(0, MAX_READ_AGAIN));
  if (readAgain.size === 0) return { ...counts, differences: first };
  const again: Receipt[] = [];
  for (const reference of readAgain) again.push(...[(await watch.receipt(reference)) ?? []].flat());
  const asked = [...readAgain].map(reference => ({ reference }));
  const payments = await paymentsByReference(deps.db, rail, spellings(rail, asked));
  const sure = await compare(deps, rail, again, payments);
  return { ...counts, differences: [...sure, ...first.filter(({ reference }) => !readAgain.has(reference))] };
}

/** A payment is listed once, also when it is among the payments of the day and among those with a return. */
async function readReceipts(watch: ReceiptsByTime, from: Date, to: Date): Promise<Receipt[]> {
  const receipts = new Map<string, Receipt>();
  let cursor: string | undefined;
  do {
    const page = await watch.receipts(from, to, cursor);
    for (const receipt of page.receipts) receipts.set(comparable(receipt.reference), receipt);
    cursor = page.next;
  } while (cursor !== undefined);
  return [...receipts.values()];
}

async function compare(
  { db, clock }: CompareDeps,
  rail: Rail,
  receipts: readonly Receipt[],
  payments: readonly RecordedPayment[],
): Promise<Difference[]> {
  const recorded = new Map(payments.map(payment => [bankReference(rail, payment), payment]));
  const chargeIds = await chargesByReference(
    db,
    rail,
    receipts.flatMap(({ requestReference }) => requestReference ?? []),
  );
  const unmatched = await keptUnmatched(
    db,
    receipts.map(({ reference }) => `${rail.name} ${reference}`),
  );
  const now = clock.now();
  const listed = receipts.flatMap(receipt => {
    const payment = recorded.get(comparable(receipt.reference));
    recorded.delete(comparable(receipt.reference));
    const isDecided = unmatched.get(comparable(`${rail.name} ${receipt.reference}`));
    const chargeId = chargeIds.get(receipt.requestReference ?? '');
    return differencesOf({ receipt, payment, chargeId, isDecided, now });
  });
  const unlisted = [...recorded.values()].map(
    (payment): Difference => ({
      kind: 'not_at_bank',
      reference: bankReferenceOf(rail.name, payment.reference),
      chargeId: payment.chargeId,
      here: payment.amountCents,
    }),
  );
  return [...listed, ...unlisted];
}

/** A payment that was kept as unmatched first is recorded under the name of its rail and the bank's id. */
function spellings({ name }: Rail, receipts: readonly { readonly reference: string }[]): string[] {
  return receipts.flatMap(({ reference }) => [reference, referenceOnRail(name, reference)]);
}

function bankReference(rail: Rail, { reference }: RecordedPayment): string {
  return comparable(bankReferenceOf(rail.name, reference));
}
