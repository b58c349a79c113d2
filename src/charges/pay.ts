// Money that came: recorded once, whoever tells of it and however often. The first pays the charge, what comes later is
// kept beside it.
import type { Queue } from '../jobs/queue.ts';
import { postEntries } from '../ledger/store.ts';
import { concerns } from '../lib/act.ts';
import { civilDay } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Method } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import { isOrdered, type LivingCharge, type Payment } from './charge.ts';
import { paid } from './life.ts';
import { owedOn } from './owed.ts';
import { paymentPosting } from './postings.ts';
import { enqueueRetirement } from './retire.ts';
import { settlementTimer } from './settle.ts';
import { lockCharges } from './store.ts';
import { insertPayment, removeUnmatched } from './store-money.ts';
import { clearTimers, setTimers } from './store-timers.ts';
import { writeStep } from './write.ts';

export type PayDeps = { readonly db: Database; readonly queue: Queue; readonly clock: Clock };

/** What somebody who saw the money tells us. */
export type Receipt = {
  readonly chargeId: string;
  readonly method: Method;
  /** What was owed that day, when absent. */
  readonly amountCents?: bigint;
  readonly paidAt: Date;
  readonly source: string;
  readonly reference: string;
};

export type Paid = { readonly charge: LivingCharge; readonly isNew: boolean };

/**
 * Records money for a charge. The same reference again changes nothing. Refuses a method the charge never had, and a
 * reference that was told of other money.
 */
export async function recordPayment(deps: PayDeps, receipt: Receipt): Promise<Paid> {
  await deps.clock.refresh();
  const now = deps.clock.now();
  const id = uuidV7(now);
  const told = await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [receipt.chargeId]);
    if (!charge) throw new AppError('not_found', 'There is no such charge.');
    concerns(charge.id);
    const way = charge.ways.find(({ method }) => method === receipt.method);
    if (!way || way.status === 'FAILED') {
      throw new AppError('wrong_state', `This charge cannot be paid by ${receipt.method}.`);
    }
    const known = charge.payments.find(({ reference }) => reference === receipt.reference);
    if (known) {
      if (isSame(known, receipt)) return { charge, isNew: false };
      throw referenceTaken();
    }
    // A price that holds for minutes is not judged by the day.
    const isTooEarly = isOrdered(charge)
      ? receipt.paidAt < charge.createdAt
      : civilDay(receipt.paidAt) < civilDay(charge.createdAt);
    if (isTooEarly) {
      throw new AppError('wrong_state', 'Money cannot come before its charge was made.');
    }
    const owed = owedOn(charge, receipt.method, civilDay(receipt.paidAt));
    const payment = {
      id,
      method: receipt.method,
      amountCents: receipt.amountCents ?? owed.totalCents,
      paidAt: receipt.paidAt,
      source: receipt.source,
      reference: receipt.reference,
      timing: owed.on > owed.effectiveDueDay ? ('late' as const) : ('on_time' as const),
    };
    const step = paid(charge, payment, owed.totalCents);
    const recorded = step.after.payments.at(-1)!;
    if (!(await insertPayment(tx, charge, recorded, now))) throw referenceTaken();
    await postEntries(tx, [paymentPosting(charge, recorded)]);
    await removeUnmatched(tx, receipt.reference);
    const after = await writeStep(deps, tx, step, now);
    if (!recorded.isRepeat) await closeBooks(deps, tx, charge, after, recorded);
    return { charge: after, isNew: true };
  });
  if (told.charge.transactionId !== undefined) deps.queue.nudge('transaction.follow');
  return told;
}

/** Whether a payment is told again: the amount may be left out, but not be another. */
function isSame(known: Payment, { method, amountCents }: Receipt): boolean {
  return known.method === method && (amountCents === undefined || amountCents === known.amountCents);
}

function referenceTaken(): AppError {
  return new AppError('reference_conflict', 'This reference was told of another payment.');
}

/** A paid charge waits for nothing but its bank, and the method that was not used goes. */
async function closeBooks(
  deps: PayDeps,
  tx: Sql,
  before: LivingCharge,
  after: LivingCharge,
  payment: Payment,
): Promise<void> {
  await clearTimers(tx, after);
  if (payment.method === 'boleto') await setTimers(tx, [settlementTimer(after, payment)]);
  await enqueueRetirement(deps.queue, tx, [{ before, after }]);
}
