// Records payments. A payment is recorded once, whatever source reports it and however often. The first payment pays the
// charge; a later one is recorded as a repeat. Payments that are reported at the same time share one transaction.
import assert from 'node:assert/strict';
import { postEntries } from '../../ledger/store.ts';
import { type AuditLine, auditLineAbout } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { insertAuditLines } from '../../storage/audit.ts';
import { type Batcher, batcher } from '../../storage/batching/batcher.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type Charge, isOf, type Payment } from '../charge.ts';
import { enqueueRetirement } from '../issue/retire.ts';
import { withSettlement } from '../life.ts';
import { laterFeePostings, paymentPostings } from '../postings.ts';
import { settlementTimer } from '../settle.ts';
import { findAccounts, lockCharges } from '../store/charges.ts';
import { findReferences, insertPayments, lockReferences, referenceKey, storeOtherReferences } from '../store/money.ts';
import { findRailNames, type RailNames } from '../store/rails.ts';
import { clearTimers, setTimers } from '../store/timers.ts';
import { markDuplicatesOf } from '../unmatched/mark-duplicates.ts';
import { decideUnmatched, findReceipts } from '../unmatched/store.ts';
import { type WriteDeps, writeSteps } from '../write.ts';
import {
  isSecondHand,
  judgePayment,
  type NewPayment,
  type PossibleDuplicate,
  type ReadPayment,
  type RecordedPayment,
  type Report,
  type ReportedPayment,
  railsToSearch,
  referenceTaken,
  type TypedPayment,
} from './judge-payment.ts';
import { isFromReturnFile, isPixId, normalReference } from './payment-reference.ts';

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
    return deps.db.transaction(tx => recordBatch(deps, tx, items, isSingle), options);
  }, LIMITS);
}

/**
 * Records a payment of a charge. A second report with the same reference changes nothing, however it is spelled: see
 * `normalReference`; case makes no difference. Refuses a method that the charge does not have, and a reference that was reported
 * for another payment, of any account: accounts may share the key that receives the money. Refuses a report by hand that
 * may be a payment of the charge under another reference, unless it says that it is another one, and one without the bank's own
 * id where the bank will report the payment too.
 */
export async function recordPayment(deps: PayDeps, report: TypedPayment): Promise<RecordedPayment> {
  const outcome = await addToBatch(deps, report);
  assert(!('duplicateOf' in outcome), 'a report by hand that may be a duplicate is refused');
  return outcome;
}

/** Like `recordPayment`, for reports of a bank: not recorded if it may be the payment of a boleto that a person has already reported. */
export function recordReportedPayment(
  deps: PayDeps,
  report: ReportedPayment & { readonly source: 'bank' },
): Promise<RecordedPayment | PossibleDuplicate> {
  return addToBatch(deps, report);
}

/** Like `recordPayment`, for an entry of a statement. */
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

type Fresh = NewPayment & { readonly item: Item; readonly reportedBy: string | undefined };

const NO_RAILS: RailNames = { all: [], listing: new Set() };

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
  const pixIds = items.map(({ report }) => report.reference).filter(isPixId);
  await lockReferences(tx, pixIds);
  const rails = items.some(({ report }) => isSecondHand(report) || isPixId(report.reference))
    ? await findRailNames(tx)
    : NO_RAILS;
  const taken = await findReferences(
    tx,
    items.flatMap(({ report }) => {
      const rail = charges.get(report.chargeId)?.methods.find(isOf(report.method))?.rail;
      return rail === undefined ? [] : railsToSearch(report, rail, rails);
    }),
  );
  const receipts = await findReceipts(
    tx,
    items.map(({ report }) => report.reference),
  );
  const fresh: Fresh[] = [];
  const reportedAgain: { charge: Charge; payment: Payment; reference: string; feeCents?: bigint }[] = [];
  const outcomes = items.map((item): Outcome | undefined => {
    const charge = isAllowed(item.report, accounts) ? charges.get(item.report.chargeId) : undefined;
    const verdict = judgePayment(charge, item.report, item.id, { taken, receipts, rails, now });
    if ('refusal' in verdict) return verdict;
    if ('recorded' in verdict) return verdict.recorded;
    if ('duplicateOf' in verdict) return verdict;
    if ('reportedAgain' in verdict) {
      const { reportedAgain: before, payment } = verdict;
      const { reference, feeCents } = item.report;
      // Only one of a bank's two lists has the fee.
      const fee = payment.feeCents === undefined && feeCents !== undefined && { feeCents };
      const named = { ...payment, alsoReportedAs: reference, ...fee };
      reportedAgain.push({ charge: before, payment: named, reference, ...fee });
      const after = { ...before, payments: before.payments.map(one => (one.id === payment.id ? named : one)) };
      charges.set(before.id, after);
      return { charge: after, isNew: false };
    }
    taken.add(referenceKey(verdict.rail, item.report.reference));
    charges.set(verdict.before.id, verdict.step.after);
    fresh.push({ ...verdict, item, reportedBy: reporterOf(item) });
    return undefined;
  });
  const written = await writePayments(deps, tx, fresh, now, isSingle);
  await storeOtherReferences(tx, reportedAgain);
  await postEntries(
    tx,
    reportedAgain.flatMap(({ charge, payment, feeCents }) => {
      return feeCents === undefined ? [] : laterFeePostings(charge, payment, now);
    }),
  );
  await decideUnmatched(
    tx,
    reportedAgain.map(({ reference }) => reference),
    now,
  );
  return outcomes.map((outcome, index) => {
    return outcome ?? { charge: written.get(items[index]!.report.chargeId)!, isNew: true };
  });
}

/** Who reported the payment by hand or in a file; undefined when the bank was asked. */
function reporterOf({ report: { source, reference }, auditLine }: Item): string | undefined {
  return source === 'bank' && !isFromReturnFile(reference) ? undefined : auditLine?.context.actor;
}

/** A charge of another account is not even locked, so a caller cannot delay what its owner does with it. */
function isAllowed({ chargeId, accountId }: ReportedPayment, accounts: ReadonlyMap<string, string>): boolean {
  return accountId === undefined || accountId === accounts.get(chargeId);
}

/**
 * Returns the charges after their payments. A paid charge keeps only the timer of its settlement; its other method is
 * retired.
 */
async function writePayments(
  deps: BatchDeps,
  tx: Sql,
  fresh: readonly Fresh[],
  now: Date,
  isSingle: boolean,
): Promise<ReadonlyMap<string, Charge>> {
  if (fresh.length === 0) return new Map();
  const first = fresh.filter(({ payment }) => !payment.isRepeat);
  const [charges, inserted] = await Promise.all([
    writeSteps(
      deps,
      tx,
      fresh.flatMap(({ step }) => withSettlement(step).map(part => ({ step: part, at: now }))),
    ),
    insertPayments(tx, fresh, now),
    postEntries(
      tx,
      fresh.flatMap(({ before, payment }) => paymentPostings(before, payment)),
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
        .filter(({ payment }) => ABILITIES[payment.method].isCreditedLater)
        .map(({ step, payment }) => settlementTimer(step.after, payment)),
    ),
    enqueueRetirement(
      deps.queue,
      tx,
      first.map(({ before, step }) => ({ before, after: step.after })),
    ),
    insertAuditLines(
      tx,
      fresh.flatMap(({ item }) => item.auditLine ?? []),
    ),
  ]);
  if (inserted < fresh.length) {
    // Another transaction has recorded one of the references meanwhile. A batch does not know which one: each is then written singly.
    throw isSingle ? referenceTaken() : new Error('a reference was recorded by another transaction');
  }
  await markDuplicatesOf(
    tx,
    fresh.map(({ payment, item }) => ({ payment, readFrom: item.report.readFrom })),
  );
  return new Map(charges.map(charge => [charge.id, charge]));
}
