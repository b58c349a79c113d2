// Records payments. A payment is recorded once, whatever source reports it and however often. The first payment pays the
// charge; a later one is recorded as a repeat. Payments that are reported at the same time share one transaction.
import assert from 'node:assert/strict';
import { postEntries } from '../ledger/store.ts';
import { type AuditLine, auditLineAbout } from '../lib/audit-context.ts';
import { type CivilDay, civilDay } from '../lib/civil-days.ts';
import { type Clock, laterOf } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { withWorkKind } from '../lib/work-kind.ts';
import type { Method } from '../rails/rail.ts';
import { insertAuditLines } from '../storage/audit.ts';
import { type Batcher, batcher } from '../storage/batching/batcher.ts';
import type { Database, Sql } from '../storage/database.ts';
import { type Charge, isOf, isOrdered, type Payment, type PaymentSource } from './charge.ts';
import { paid, type Step } from './life.ts';
import { markDuplicatesOf } from './mark-duplicates.ts';
import { owedOn } from './owed.ts';
import { normalReference } from './payment-reference.ts';
import { mayBeSameOfCharge, mayBeTypedAgain, type ReadReceipt } from './possible-duplicate.ts';
import { paymentPosting } from './postings.ts';
import { enqueueRetirement } from './retire.ts';
import { settlementTimer } from './settle.ts';
import { findAccounts, lockCharges } from './store.ts';
import { comparable, findReferences, insertPayments, referenceKey } from './store-money.ts';
import { clearTimers, setTimers } from './store-timers.ts';
import { decideUnmatched, findReceipts, type UnmatchedReceipt } from './store-unmatched.ts';
import { type WriteDeps, writeSteps } from './write.ts';

/** A payment as an operator, a rail, a statement or the sandbox reports it. */
export type ReportedPayment = {
  readonly chargeId: string;
  /** The account of the caller: for it a charge of another account does not exist. */
  readonly accountId?: string | undefined;
  readonly method: Method;
  /** Defaults to the amount owed on that day. */
  readonly amountCents?: bigint;
  /** Defaults to now, and to the creation of the charge where that is later: clocks of nodes differ a little. */
  readonly paidAt?: Date;
  readonly source: PaymentSource;
  readonly reference: string;
  readonly feeCents?: bigint;
  readonly creditDay?: CivilDay;
};

/** With what a person may add who reports by hand: that it is another payment than the one that it resembles. */
export type TypedPayment = ReportedPayment & { readonly isAnother?: boolean };

/** With the entry of a statement that reports it: not recorded while it may be a payment that the charge has already. */
export type ReadPayment = ReportedPayment & { readonly readFrom: ReadReceipt };

export type RecordedPayment = { readonly charge: Charge; readonly isNew: boolean };

/** Not recorded: it may be the payment of this reference. */
export type PossibleDuplicate = { readonly duplicateOf: string };

type Report = TypedPayment & Partial<Pick<ReadPayment, 'readFrom'>>;
type Item = { readonly report: Report; readonly id: string; readonly auditLine: AuditLine | undefined };
/** A refusal concerns one report; the other reports of the batch are still recorded. */
type Outcome = RecordedPayment | PossibleDuplicate | { readonly refusal: AppError };
export type PaymentBatches = Batcher<Item, Outcome>;

type BatchDeps = WriteDeps & { readonly db: Database; readonly clock: Clock };
export type PayDeps = { readonly clock: Clock; readonly paymentBatches: PaymentBatches };

const LIMITS = { maxSize: 100, maxRunning: 2, maxWaiting: 5_000 } as const;
/** A batch must not wait long for the row lock of one charge; a single write may. */
const LOCK_TIMEOUT_MS = 200;

export function startPaymentBatches(deps: BatchDeps): PaymentBatches {
  return batcher((items, isSingle) => {
    const options = isSingle ? {} : { lockTimeoutMs: LOCK_TIMEOUT_MS };
    return withWorkKind('payments', () => deps.db.transaction(tx => recordBatch(deps, tx, items, isSingle), options));
  }, LIMITS);
}

/**
 * Records a payment of a charge. A second report with the same reference changes nothing, however it is spelled: see
 * `normalReference`; case makes no difference. Refuses a method that the charge does not have, and a reference that was reported for another payment to the
 * same rail, of whichever account: accounts may share the key that receives the money. Refuses a report by hand that may be a
 * payment of the charge under another reference, unless it says that it is another one.
 */
export async function recordPayment(deps: PayDeps, report: TypedPayment): Promise<RecordedPayment> {
  const outcome = await addToBatch(deps, report);
  assert(!('duplicateOf' in outcome), 'only an entry of a statement is compared with other payments');
  return outcome;
}

/** As `recordPayment`, for an entry of a statement. */
export function recordReadPayment(deps: PayDeps, report: ReadPayment): Promise<RecordedPayment | PossibleDuplicate> {
  return addToBatch(deps, report);
}

async function addToBatch(deps: PayDeps, report: Report): Promise<RecordedPayment | PossibleDuplicate> {
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own payment.
  const id = uuidV7(deps.clock.now());
  const outcome = await deps.paymentBatches.add({
    report: { ...report, reference: normalReference(report.reference) },
    id,
    auditLine: auditLineAbout(report.chargeId),
  });
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome;
}

/** A payment to be written, and the step of its charge. */
type NewPayment = {
  readonly before: Charge;
  readonly rail: string;
  readonly payment: Payment;
  readonly step: Step;
  readonly item: Item;
};

async function recordBatch(
  deps: BatchDeps,
  tx: Sql,
  items: readonly Item[],
  isSingle: boolean,
): Promise<readonly Outcome[]> {
  const now = deps.clock.now();
  const accounts = await findAccounts(tx, [...new Set(items.map(({ report }) => report.chargeId))]);
  const ids = items.flatMap(({ report }) => (isAllowed(report, accounts) ? report.chargeId : []));
  const locked = await lockCharges(tx, [...new Set(ids)]);
  const charges = new Map(locked.map(charge => [charge.id, charge]));
  const taken = await findReferences(
    tx,
    items.flatMap(({ report }) => {
      const rail = charges.get(report.chargeId)?.methods.find(isOf(report.method))?.rail;
      return rail === undefined ? [] : [{ rail, reference: report.reference }];
    }),
  );
  const receipts = await findReceipts(
    tx,
    items.map(({ report }) => report.reference),
  );
  const fresh: NewPayment[] = [];
  const outcomes = items.map((item): Outcome | undefined => {
    const charge = isAllowed(item.report, accounts) ? charges.get(item.report.chargeId) : undefined;
    const verdict = judge(charge, item, { taken, receipts, now });
    if ('refusal' in verdict) return verdict;
    if ('recorded' in verdict) return verdict.recorded;
    if ('duplicateOf' in verdict) return verdict;
    taken.add(referenceKey(verdict.rail, item.report.reference));
    charges.set(verdict.before.id, verdict.step.after);
    fresh.push(verdict);
    return undefined;
  });
  const written = await writePayments(deps, tx, fresh, now, isSingle);
  return outcomes.map((outcome, index) => {
    return outcome ?? { charge: written.get(items[index]!.report.chargeId)!, isNew: true };
  });
}

/** A charge of another account is not even locked, so a caller cannot delay what its owner does with it. */
function isAllowed({ chargeId, accountId }: ReportedPayment, accounts: ReadonlyMap<string, string>): boolean {
  return accountId === undefined || accountId === accounts.get(chargeId);
}

type Verdict = { readonly refusal: AppError } | { readonly recorded: RecordedPayment } | PossibleDuplicate | NewPayment;

type Known = {
  /** References that are recorded, by `referenceKey`. */
  readonly taken: ReadonlySet<string>;
  /** Receipts that a statement or a rail left without a charge, by `comparable` reference. */
  readonly receipts: ReadonlyMap<string, UnmatchedReceipt>;
  readonly now: Date;
};

/** Decides what a report means for the charge, including the earlier payments of this batch. */
function judge(charge: Charge | undefined, item: Item, { taken, receipts, now }: Known): Verdict {
  const { report, id } = item;
  if (!charge) return { refusal: new AppError('not_found', 'There is no such charge.') };
  const method = charge.methods.find(isOf(report.method));
  if (!method || method.status === 'FAILED') {
    return { refusal: new AppError('wrong_state', `This charge cannot be paid by ${report.method}.`) };
  }
  const known = charge.payments.find(({ reference }) => comparable(reference) === comparable(report.reference));
  if (known) {
    // The same id: an earlier run of this batch committed, but its answer was lost.
    return isSame(known, report) ? { recorded: { charge, isNew: known.id === id } } : { refusal: referenceTaken() };
  }
  if (taken.has(referenceKey(method.rail, report.reference))) return { refusal: referenceTaken() };
  const receipt = receipts.get(comparable(report.reference));
  if (receipt && report.amountCents !== undefined && report.amountCents !== receipt.amountCents) {
    return { refusal: new AppError('reference_conflict', 'The bank reported this reference with another amount.') };
  }
  const { readFrom } = report;
  const double =
    readFrom && charge.payments.find(payment => payment.method === 'pix' && mayBeSameOfCharge(payment, readFrom));
  if (double) return { duplicateOf: double.reference };
  const paidAt = report.paidAt ?? laterOf(now, charge.createdAt);
  // The price of an order is valid for minutes, so its payment is compared by the instant, not by the day.
  const isTooEarly = isOrdered(charge) ? paidAt < charge.createdAt : civilDay(paidAt) < civilDay(charge.createdAt);
  if (isTooEarly) return { refusal: new AppError('wrong_state', 'A payment cannot be earlier than its charge.') };
  const owed = owedOn(charge, report.method, civilDay(paidAt));
  const { method: paidBy, source, reference, amountCents = receipt?.amountCents ?? owed.totalCents } = report;
  if (source === 'operator' && !report.isAnother && !isShown(receipt, charge)) {
    const typed = { reference, amountCents, day: civilDay(paidAt), isDayGiven: report.paidAt !== undefined };
    const again = charge.payments.find(payment => payment.method === paidBy && mayBeTypedAgain(payment, typed));
    if (again) return { refusal: mayBeKnown(again) };
  }
  const timing = owed.on > owed.effectiveDueDay ? ('late' as const) : ('on_time' as const);
  const { payerDocument } = readFrom ?? {};
  const { feeCents, creditDay } = report;
  const payment = {
    ...{ id, method: paidBy, amountCents, paidAt, source, reference, timing },
    ...(payerDocument !== undefined && { payerDocument }),
    ...(feeCents !== undefined && { feeCents }),
    ...(creditDay !== undefined && { creditDay }),
  };
  const step = paid(charge, payment, owed.totalCents);
  return { before: charge, rail: method.rail, payment: step.after.payments.at(-1)!, step, item };
}

/** Whether a report repeats a known payment: the amount may be missing, but must not differ. */
function isSame(known: Payment, { method, amountCents }: ReportedPayment): boolean {
  return known.method === method && (amountCents === undefined || amountCents === known.amountCents);
}

/** Whether a person was shown that the receipt may be a payment of the charge; recording it all the same is a decision. */
function isShown(receipt: UnmatchedReceipt | undefined, { payments }: Charge): boolean {
  return payments.some(({ reference }) => reference === receipt?.duplicateOf);
}

function mayBeKnown({ reference }: Payment): AppError {
  const message =
    `This may be the payment "${reference}", which the charge has with the same amount. ` +
    'If it is another one, say so: isAnother in a request, --another in the command.';
  return new AppError('possible_duplicate', message, { first: { duplicateOf: reference } });
}

function referenceTaken(): AppError {
  return new AppError('reference_conflict', 'This reference was reported for another payment.');
}

/**
 * Returns the charges after their payments. A paid charge keeps only the timer of its settlement; its other method is
 * retired.
 */
async function writePayments(
  { queue, links }: BatchDeps,
  tx: Sql,
  fresh: readonly NewPayment[],
  now: Date,
  isSingle: boolean,
): Promise<ReadonlyMap<string, Charge>> {
  if (fresh.length === 0) return new Map();
  const first = fresh.filter(({ payment }) => !payment.isRepeat);
  const [charges, inserted] = await Promise.all([
    writeSteps(
      { queue, links },
      tx,
      fresh.map(({ step }) => ({ step, at: now })),
    ),
    insertPayments(tx, fresh, now),
    postEntries(
      tx,
      fresh.map(({ before, payment }) => paymentPosting(before, payment)),
    ),
    decideUnmatched(
      tx,
      fresh.map(({ payment }) => payment.reference),
      now,
    ),
    clearTimers(
      tx,
      first.map(({ before }) => before),
    ),
    setTimers(
      tx,
      first
        .filter(({ payment }) => payment.method === 'boleto')
        .map(({ step, payment }) => settlementTimer(step.after, payment)),
    ),
    enqueueRetirement(
      queue,
      tx,
      first.map(({ before, step }) => ({ before, after: step.after })),
    ),
    insertAuditLines(
      tx,
      fresh.flatMap(({ item }) => item.auditLine ?? []),
    ),
  ]);
  if (inserted < fresh.length) {
    // Another transaction has recorded one of the references meanwhile. In a batch it is not known which: each is tried singly.
    throw isSingle ? referenceTaken() : new Error('a reference was recorded by another transaction');
  }
  await markDuplicatesOf(
    tx,
    fresh.flatMap(({ item }) => item.report.readFrom ?? []),
  );
  return new Map(charges.map(charge => [charge.id, charge]));
}
