// Compares a bank's own record of a day with the payments and refunds recorded here, and those with the ledger; what else the bank lists,
// the nouns that keep it compare. Changes nothing.
// Differences are read once more from both sides, because money moves meanwhile.

import { addDays, type CivilDay, momentOn } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import type { Receipt, ReceiptsByTime, UnreadableReceipt } from '../../rails/rail.ts';
import type { WatchedRail } from '../../rails/watched-rails.ts';
import type { Database } from '../../storage/database.ts';
import type { ChargeFollower } from '../follower.ts';
import { isPixId } from '../receive/payment-reference.ts';
import {
  chargesByReference,
  keptUnmatched,
  paymentsBetween,
  paymentsByReference,
  type RecordedPayment,
} from '../store/compare-day.ts';
import { comparable } from '../store/money.ts';
import { type Difference, differencesOf } from './difference.ts';

export type CompareDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly chargeFollowers: readonly ChargeFollower[];
};

export type ComparedDay = {
  /** Payments of the day at the bank, and here. */
  readonly atBank: number;
  readonly here: number;
  /** What the bank lists or counts of the day but cannot be read, such as payments or their returns: whether it is recorded is unknown. */
  readonly unreadable: number;
  /** Their ids, where they have one. */
  readonly unreadableReceipts: readonly UnreadableReceipt[];
  readonly differences: readonly Difference[];
};

/** Asked about one by one; further differences are reported as first read. */
const MAX_READ_AGAIN = 1_000;

/** Throws `rail_unavailable` when the bank does not answer. `afterStep` is called after each page, and after each payment that is read again. */
export async function compareDay(
  deps: CompareDeps,
  watched: WatchedRail,
  day: CivilDay,
  afterStep: () => void = () => {},
): Promise<ComparedDay> {
  const [from, to] = [momentOn(day), momentOn(addDays(day, 1))];
  const compared = await comparePayments(deps, watched, { from, to }, afterStep);
  const differences = [...compared.differences];
  let { unreadable } = compared;
  for (const { onlyAtBank } of deps.chargeFollowers) {
    const found = await onlyAtBank?.(deps, watched, { from, to }, afterStep);
    differences.push(...(found?.differences ?? []));
    unreadable += found?.unreadable ?? 0;
  }
  return { ...compared, differences, unreadable };
}

async function comparePayments(
  deps: CompareDeps,
  watched: WatchedRail,
  { from, to }: { readonly from: Date; readonly to: Date },
  afterStep: () => void,
): Promise<ComparedDay> {
  const { receipts, ...odd } = await readReceipts(watched.watch, from, new Date(to.getTime() - 1), afterStep);
  const recorded = await paymentsBetween(deps.db, watched, from, to);
  const known = new Set(recorded.flatMap(namesOf));
  const others = receipts.map(({ reference }) => reference).filter(reference => !known.has(comparable(reference)));
  const ofOtherDays = await paymentsByReference(deps.db, watched, others);
  const first = await compare(deps, watched, receipts, [...recorded, ...ofOtherDays]);
  afterStep();
  const counts = {
    atBank: receipts.filter(({ paidAt, isToOtherKey }) => !isToOtherKey && paidAt >= from && paidAt < to).length,
    here: recorded.length,
    ...odd,
  };
  const suspects = [...new Set(first.map(({ reference }) => reference))];
  const readAgain = new Set(suspects.slice(0, MAX_READ_AGAIN));
  if (readAgain.size === 0) return { ...counts, differences: first };
  const again: Receipt[] = [];
  for (const reference of readAgain) {
    again.push(...[(await watched.watch.receipt(reference)) ?? []].flat());
    afterStep();
  }
  const payments = await paymentsByReference(deps.db, watched, [...readAgain]);
  const sure = await compare(deps, watched, again, payments);
  afterStep();
  return { ...counts, differences: [...sure, ...first.filter(({ reference }) => !readAgain.has(reference))] };
}

/** A payment is listed once, also when it is among the payments of the day and among those with a return. */
async function readReceipts(
  watch: ReceiptsByTime,
  from: Date,
  to: Date,
  afterPage: () => void,
): Promise<{ receipts: Receipt[] } & Pick<ComparedDay, 'unreadable' | 'unreadableReceipts'>> {
  const receipts = new Map<string, Receipt>();
  const odd = new Map<string, UnreadableReceipt>();
  let unreadable = 0;
  let cursor: string | undefined;
  do {
    const page = await watch.receipts(from, to, cursor);
    for (const receipt of page.receipts) receipts.set(comparable(receipt.reference), receipt);
    unreadable += page.unreadable ?? 0;
    for (const one of page.unreadableReceipts ?? []) odd.set(`${one.about} ${comparable(one.reference)}`, one);
    cursor = page.next;
    afterPage();
  } while (cursor !== undefined);
  return { receipts: [...receipts.values()], unreadable, unreadableReceipts: [...odd.values()] };
}

async function compare(
  { db, clock }: CompareDeps,
  watched: WatchedRail,
  receipts: readonly Receipt[],
  payments: readonly RecordedPayment[],
): Promise<Difference[]> {
  const recorded = new Map(payments.flatMap(payment => namesOf(payment).map(name => [name, payment])));
  const unlisted = new Set(payments);
  const chargeIds = await chargesByReference(
    db,
    watched,
    receipts.flatMap(({ requestReference }) => requestReference ?? []),
  );
  const unmatched = await keptUnmatched(
    db,
    receipts.map(({ reference }) => reference),
  );
  const now = clock.now();
  const listed = receipts.flatMap(receipt => {
    const payment = recorded.get(comparable(receipt.reference));
    if (payment) unlisted.delete(payment);
    const isDecided = unmatched.get(comparable(receipt.reference));
    const chargeId = chargeIds.get(receipt.requestReference ?? '');
    if (receipt.isToOtherKey && !payment && chargeId === undefined) return [];
    return differencesOf({ receipt, payment, chargeId, isDecided, now });
  });
  const missing = [...unlisted].map(
    (payment): Difference => ({
      kind: 'not_at_bank',
      reference: nameAt(watched, payment),
      chargeId: payment.chargeId,
      here: payment.amountCents,
    }),
  );
  return [...listed, ...missing];
}

/** All references under which a bank may list it. */
function namesOf({ reference, alsoReportedAs }: RecordedPayment): string[] {
  return [reference, alsoReportedAs ?? []].flat().map(comparable);
}

/** The reference under which this bank lists it: a boleto paid by pix may be listed as either. */
function nameAt({ rail: { method } }: WatchedRail, { reference, alsoReportedAs }: RecordedPayment): string {
  return alsoReportedAs !== undefined && isPixId(reference) !== ABILITIES[method].hasPaymentIds
    ? alsoReportedAs
    : reference;
}
