// Changes the due date of an unpaid charge. A bank that works by files gets an instruction, one with an API a call, and its answer decides;
// elsewhere the change counts at once. The charge expires as many days after the due day as before, since banks count from the due day.

import { digitableLine, withDueDay } from '@trilho/cnab';
import { addDays, type CivilDay, civilDay, DAY_MS, daysBetween } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { LAST_MOMENT_MS } from '../../lib/date-times.ts';
import { AppError, invalidRequest, noSuch } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { BoletoInstrument } from '../../rails/methods/boleto.ts';
import type { Rail } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { findChangeSent } from '../bank-files/store-changes.ts';
import { dropInstruction, insertInstructions } from '../bank-files/store-files.ts';
import { type Charge, type ChargeMethod, isOf, isOrdered, paymentRequest, withInstrument } from '../charge.ts';
import type { ChargeRules } from '../create/check.ts';
import { checkReductions } from '../create/check-reductions.ts';
import { repeatsEndOf } from '../issue/withdraw-repeats.ts';
import { dueChanged, dueChangeFailed, isPayable, isUnpaid } from '../life.ts';
import { lockCharges, storeInstruments } from '../store/charges.ts';
import { clearDueChangeSent, findDueChangeSent, storeDueDate } from '../store/due-dates.ts';
import { clearTimers, firstTimersOf, insertFirstTimers } from '../store/timers.ts';
import { type WriteDeps, writeStep } from '../write.ts';
import { CHANGE_DUE_DAY } from './due-day-job.ts';

type Deps = WriteDeps & {
  readonly db: Database;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly chargeRules: ChargeRules;
};

/**
 * Asking for the present or the pending date changes nothing. Refuses a charge that has ended or pays for an order, one whose bank has not
 * registered it or cannot change it, and a second change while the bank has not answered the first.
 */
export async function changeDueDate(deps: Deps, id: string, dueAt: Date): Promise<Charge> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (!charge) throw noSuch('charge');
    const now = deps.clock.now();
    const pending = await findPending(deps.rails, tx, charge, now);
    const asked = pending?.dueAt ?? charge.dueAt;
    if (asked.getTime() === dueAt.getTime() && !pending?.isUnanswered) return charge;
    const open = openMethods(deps.rails, charge, now);
    const next = withDueDate(charge, dueAt);
    refuseDate(deps, open, next, now);
    refuseLostDiscount(next);
    if (pending) await takeBack(tx, charge, pending, now);
    const boleto = open.find(({ rail }) => rail.files ?? rail.dueDays);
    // A bank that has not answered may have applied the pending change, so a change back to the present day is sent too.
    if (boleto && (civilDay(dueAt) !== civilDay(charge.dueAt) || pending?.wasSent)) {
      const asked = { ...charge, dueChange: { dueAt, status: 'PENDING' } } as const;
      return boleto.rail.files ? instruct(tx, asked, boleto.rail, now) : askByCall(deps, tx, asked);
    }
    for (const { rail } of open) {
      const answer = rail.changeDueDay?.(paymentRequest(next, rail.method));
      if (answer?.kind === 'rejected') {
        return failDueChange(deps, tx, { ...charge, dueChange: { dueAt, status: 'PENDING' } }, answer.reason);
      }
    }
    return applyDueDate(deps, tx, charge, dueAt);
  });
}

type OpenMethod = { readonly chargeMethod: ChargeMethod; readonly rail: Rail };

function openMethods(rails: Rails, charge: Charge, now: Date): OpenMethod[] {
  const refuse = (why: string) => new AppError('wrong_state', why);
  const unpaid = charge.methods.filter(isUnpaid);
  if (unpaid.length === 0) {
    throw refuse(`The due date of a charge that is ${charge.state} cannot be changed.`);
  }
  if (isOrdered(charge)) throw refuse('The due date of a charge that pays for an order cannot be changed.');
  return unpaid.map(chargeMethod => {
    const { method } = chargeMethod;
    const rail = railNamed(rails, method, chargeMethod.rail);
    if (!isPayable(chargeMethod)) {
      throw refuse(`The ${method} is ${chargeMethod.status}: its due date can be changed when it is registered.`);
    }
    const repeatsEnd = rail.withdrawRepeats && repeatsEndOf(charge, chargeMethod);
    if (repeatsEnd && now <= repeatsEnd) {
      // The due day identifies a second boleto of the charge at the bank, which a payer could pay too.
      const message = `The ${method} was sent to the bank twice: its due date can be changed from`;
      throw refuse(`${message} ${repeatsEnd.toISOString()} on, when the second has ended.`);
    }
    if (charge.discounts && rail.dueDays) {
      // Some banks move the days of discounts with it, and an edit shows only the due day.
      throw refuse(`The due date of a ${method} with discounts at ${rail.name} cannot be changed.`);
    }
    if (!rail.files && !rail.dueDays && !rail.changeDueDay) {
      throw refuse(
        `The due date of a ${method} at ${rail.name} cannot be changed: cancel the charge and make another.`,
      );
    }
    return { chargeMethod, rail };
  });
}

function refuseDate({ chargeRules }: Deps, open: readonly OpenMethod[], next: Charge, now: Date): void {
  if (chargeRules.refusesPastDueDates && next.dueAt < now) {
    throw invalidRequest([{ path: 'dueAt', code: 'in_the_past', message: 'must not be in the past' }]);
  }
  const refusals = open.flatMap(({ rail }) => rail.check(paymentRequest(next, rail.method)) ?? []);
  if (refusals.length > 0) throw invalidRequest(refusals);
}

/** The bank keeps the days of discounts: they must fit the new due date. */
function refuseLostDiscount(next: Charge): void {
  if (checkReductions(next, next.createdAt).length === 0) return;
  const message = 'must be a day by which the discounts of the charge have ended, and with which they leave something';
  throw invalidRequest([{ path: 'dueAt', code: 'discounts_do_not_fit', message }]);
}

/** Banks answer by the next banking day; after this many days no answer is expected. */
const ANSWER_DAYS = 5;

/** A change that the bank has not answered. */
type PendingChange = {
  readonly dueAt: Date;
  /** When its file was made or the bank was called; absent before that. */
  readonly sentAt?: Date;
  /** A file has it, or had it and was lost, or the bank was called. */
  readonly wasSent: boolean;
  /** No answer is expected any more. */
  readonly isUnanswered: boolean;
};

async function findPending(rails: Rails, tx: Sql, charge: Charge, now: Date): Promise<PendingChange | undefined> {
  if (charge.dueChange?.status !== 'PENDING') return undefined;
  const { dueAt } = charge.dueChange;
  const sent = await findSent(rails, tx, charge);
  const sentAt = sent?.lastAt;
  if (!sentAt) return { dueAt, wasSent: sent !== undefined, isUnanswered: false };
  return { dueAt, sentAt, wasSent: true, isUnanswered: daysBetween(civilDay(sentAt), civilDay(now)) >= ANSWER_DAYS };
}

async function findSent(rails: Rails, tx: Sql, charge: Charge): Promise<{ readonly lastAt?: Date } | undefined> {
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto || !railNamed(rails, 'boleto', boleto.rail).dueDays) return findChangeSent(tx, charge);
  const { sentAt } = await findDueChangeSent(tx, charge);
  return sentAt && { lastAt: sentAt };
}

/** A change that was not sent yet, or that the bank has not answered for days, may be replaced by the next one. */
async function takeBack(
  tx: Sql,
  charge: Charge,
  { dueAt, sentAt, wasSent, isUnanswered }: PendingChange,
  now: Date,
): Promise<void> {
  if (isUnanswered || (await dropInstruction(tx, charge, 'change_due_day', now)) || !wasSent) return;
  const again = sentAt ? `: ask again on ${addDays(civilDay(sentAt), ANSWER_DAYS)}` : '';
  throw new AppError(
    'wrong_state',
    `The bank was asked for the due day ${civilDay(dueAt)} and has not answered yet${again}.`,
  );
}

async function instruct(tx: Sql, charge: Charge, rail: Rail, now: Date): Promise<Charge> {
  await storeDueDate(tx, charge);
  const instruction = { id: uuidV7(now), charge, rail: rail.name, movement: 'change_due_day' } as const;
  await insertInstructions(tx, [instruction], now);
  return charge;
}

async function askByCall({ queue }: Deps, tx: Sql, charge: Charge): Promise<Charge> {
  await storeDueDate(tx, charge);
  await clearDueChangeSent(tx, charge);
  await queue.enqueue(tx, CHANGE_DUE_DAY, [{ accountId: charge.accountId, chargeId: charge.id }]);
  return charge;
}

/** The same charge with another due date. */
export function withDueDate(charge: Charge, dueAt: Date): Charge {
  const days = daysBetween(civilDay(charge.dueAt), civilDay(dueAt));
  const endMs = Math.max(charge.expireAt.getTime() + days * DAY_MS, dueAt.getTime());
  return {
    ...charge,
    dueAt,
    expireAt: new Date(Math.min(endMs, LAST_MOMENT_MS)),
    dueChange: { dueAt, status: 'DONE' },
  };
}

type ApplyDeps = WriteDeps & { readonly rails: Rails; readonly clock: Clock };

/** Applies the new date to line (`bankInstrument`, if the bank shows it), timers and statuses. The caller holds the lock of the charge. */
export async function applyDueDate(
  deps: ApplyDeps,
  tx: Sql,
  charge: Charge,
  dueAt: Date,
  bankInstrument?: BoletoInstrument,
): Promise<Charge> {
  const now = deps.clock.now();
  const next = withNewLine(deps.rails, withDueDate(charge, dueAt), bankInstrument);
  const { instrument } = next.methods.find(isOf('boleto')) ?? {};
  await storeDueDate(tx, next);
  if (instrument) {
    await storeInstruments(tx, [{ chargeId: next.id, accountId: next.accountId, method: 'boleto', instrument }]);
  }
  await clearTimers(tx, [next]);
  await insertFirstTimers(tx, [firstTimersOf(next)]);
  return writeStep(deps, tx, dueChanged(next, now), now);
}

/** The due day is part of barcode and line. The old ones can still be paid: the bank asks for the amount it has registered. */
function withNewLine(rails: Rails, charge: Charge, bankInstrument: BoletoInstrument | undefined): Charge {
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto?.instrument || boleto.reference === undefined || !isPayable(boleto)) return charge;
  const rail = railNamed(rails, 'boleto', boleto.rail);
  const request = paymentRequest(charge, 'boleto');
  if (rail.dueDays)
    return withInstrument(charge, 'boleto', ofDueDay({ ...boleto.instrument, ...bankInstrument }, request.dueDay));
  const { instrument } = rail.numbers
    ? rail.numbers.prepare(request, BigInt(boleto.reference))
    : rail.prepare(request, boleto.location);
  return instrument ? withInstrument(charge, 'boleto', { ...boleto.instrument, ...instrument }) : charge;
}

/** A bank's copy may already have the new day but still the old line. */
function ofDueDay(instrument: BoletoInstrument, dueDay: CivilDay): BoletoInstrument {
  const barcode = withDueDay(instrument.barcode, dueDay);
  if (barcode === undefined || barcode === instrument.barcode) return instrument;
  return { ...instrument, barcode, digitableLine: digitableLine(barcode) };
}

/** The charge keeps its due date. The caller holds its lock. */
export async function failDueChange(
  deps: WriteDeps & { readonly clock: Clock },
  tx: Sql,
  charge: Charge,
  reason: string,
): Promise<Charge> {
  if (!charge.dueChange) return charge;
  const step = dueChangeFailed(charge, reason);
  await storeDueDate(tx, step.after);
  return writeStep(deps, tx, step, deps.clock.now());
}
