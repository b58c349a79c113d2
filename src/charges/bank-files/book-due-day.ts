// Books the answer of a bank to a change of the due day.
import { civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { type Charge, isOf } from '../charge.ts';
import { applyDueDate, failDueChange } from '../due-date/change-due-date.ts';
import { isPayable } from '../life.ts';
import { lockCharges } from '../store/charges.ts';
import { type BookDeps, type Booking, reasonsIn, type Told, unchanged } from './booking.ts';
import { ENDED } from './instruct.ts';
import { findChangeSent } from './store-changes.ts';

/** Only the day that is waited for is taken. Another one was changed at the bank or asked for before, and is for a person. */
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
    const remark = `The bank has the due day ${day}, for which it was not asked last.`;
    return unchanged(told, { outcome: 'needs_attention', remark });
  });
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
 * Whether an entry may answer the pending change: a file must have asked for it. An entry that another file has brought before counts
 * only if its day is not before that file's: it may answer an earlier change.
 */
async function mayAnswer(tx: Sql, { entry, isToldBefore }: Told, charge: Charge): Promise<boolean> {
  if (charge.dueChange?.status !== 'PENDING') return false;
  const sent = await findChangeSent(tx, charge);
  if (!sent) return false;
  return !isToldBefore || entry.occurrenceDay === undefined || entry.occurrenceDay >= civilDay(sent.firstAt);
}
