// Books the answer of a bank to a change of the due day.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { applyDueDate, failDueChange } from '../change-due-date.ts';
import { type Charge, isOf } from '../charge.ts';
import { isPayable } from '../life.ts';
import { lockCharges } from '../store.ts';
import { type BookDeps, type Booking, reasonsIn, type Told, unchanged } from './booking.ts';
import { ENDED } from './instruct.ts';
import { findAskedDueDates, findChangeSent } from './store-changes.ts';

/** Only the day that was asked for is taken; another one was changed at the bank, and is for a person. */
export function bookDueDay(deps: BookDeps, told: Told, { id }: Charge): Promise<Booking> {
  const { entry } = told;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const boleto = charge?.methods.find(isOf('boleto'));
    if (!charge || !boleto) return { outcome: 'unmatched' };
    const asked = (await mayAnswer(tx, told, charge)) ? charge.dueChange?.dueAt : undefined;
    const day = entry.dueDay ?? (asked && civilDay(asked));
    if (!isPayable(boleto)) {
      if (asked) await failDueChange(deps, tx, charge, ENDED);
      return unchanged(told, { outcome: 'noted' });
    }
    if (asked && day === civilDay(asked)) {
      await applyDueDate(deps, tx, charge, asked);
      return { outcome: 'noted', remark: `The due day is ${day}.` };
    }
    if (day === undefined || day === civilDay(charge.dueAt)) return unchanged(told, { outcome: 'noted' });
    const late = told.isToldBefore ? undefined : await findLate(tx, charge, day);
    if (late) {
      const pending = charge.dueChange?.status === 'PENDING' ? charge.dueChange : undefined;
      await applyDueDate(deps, tx, charge, late, { pending });
      return { outcome: 'noted', remark: `The due day is ${day}, as was asked for before.` };
    }
    const remark = `The bank has the due day ${day}, which was not asked for here.`;
    return unchanged(told, { outcome: 'needs_attention', remark });
  });
}

/**
 * The date of an earlier change that a file has asked for, to which the bank answers after it was given up or another was asked for. Not
 * after an answer to a later one: which of the two the bank has now is for a person to find out.
 */
async function findLate(tx: Sql, charge: Charge, day: CivilDay): Promise<Date | undefined> {
  if (charge.dueChange?.status === 'DONE') return undefined;
  const asked = (await findAskedDueDates(tx, [charge.id])).get(charge.id) ?? [];
  return asked.findLast(dueAt => civilDay(dueAt) === day);
}

/** While its boleto is open, a change of the due day is all that a bank can refuse. */
export function bookRefusal(deps: BookDeps, told: Told, { id }: Charge): Promise<Booking> {
  const remark = `The bank refused an instruction: ${reasonsIn(told.entry)}.`;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const isAnswer = charge !== undefined && (await mayAnswer(tx, told, charge));
    if (isAnswer) await failDueChange(deps, tx, charge, remark);
    return isAnswer ? { outcome: 'needs_attention', remark } : unchanged(told, { outcome: 'needs_attention', remark });
  });
}

/**
 * Whether an entry may answer to the change that waits for an answer: a file has asked for it. What another file has told before does
 * only if it is not of a day before that; it may be the answer to an earlier change.
 */
async function mayAnswer(tx: Sql, { entry, isToldBefore }: Told, charge: Charge): Promise<boolean> {
  if (charge.dueChange?.status !== 'PENDING') return false;
  const sent = await findChangeSent(tx, charge);
  if (!sent) return false;
  return !isToldBefore || entry.occurrenceDay === undefined || entry.occurrenceDay >= civilDay(sent.firstAt);
}
