// Books a bank's answer to a change of the due day.
import { civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { type Charge, isOf } from '../charge.ts';
import { applyDueDate, failDueChange } from '../due-date/change-due-date.ts';
import { isPayable } from '../life.ts';
import { lockCharges } from '../store/charges.ts';
import { type BookDeps, type Booking, type ReportedEntry, reasonsIn, unchanged } from './booking.ts';
import { ENDED } from './instruct.ts';
import { findChangeSent } from './store-changes.ts';

/** Accepts only the day that was requested last. Any other was changed at the bank or requested earlier, so a person checks it. */
export function bookDueDay(deps: BookDeps, reported: ReportedEntry, { id }: Charge): Promise<Booking> {
  const { entry } = reported;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const boleto = charge?.methods.find(isOf('boleto'));
    if (!charge || !boleto) return { outcome: 'unmatched' };
    const asked = (await mayAnswer(tx, reported, charge)) ? charge.dueChange?.dueAt : undefined;
    const day = entry.dueDay ?? (asked && civilDay(asked));
    if (!isPayable(boleto)) {
      if (asked) await failDueChange(deps, tx, charge, ENDED);
      return unchanged(reported, { outcome: 'noted' });
    }
    if (asked && day === civilDay(asked)) {
      await applyDueDate(deps, tx, charge, asked);
      return { outcome: 'noted', remark: `The due day is ${day}.` };
    }
    if (day === undefined || day === civilDay(charge.dueAt)) return unchanged(reported, { outcome: 'noted' });
    const remark = `The bank has the due day ${day}, which is not the one requested last.`;
    return unchanged(reported, { outcome: 'needs_attention', remark });
  });
}

/** While the boleto is open, the only instruction a bank can refuse is a change of the due day. */
export function bookRefusal(deps: BookDeps, reported: ReportedEntry, { id }: Charge): Promise<Booking> {
  const remark = `The bank refused an instruction: ${reasonsIn(reported.entry)}.`;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const isAnswer = charge !== undefined && (await mayAnswer(tx, reported, charge));
    if (isAnswer) await failDueChange(deps, tx, charge, remark);
    return isAnswer
      ? { outcome: 'needs_attention', remark }
      : unchanged(reported, { outcome: 'needs_attention', remark });
  });
}

/**
 * Whether an entry may answer the pending change, which must have been sent in a file. An entry that an earlier return already had counts
 * only if its day is not before that file's day: it may answer an earlier change.
 */
async function mayAnswer(tx: Sql, { entry, isRepeated }: ReportedEntry, charge: Charge): Promise<boolean> {
  if (charge.dueChange?.status !== 'PENDING') return false;
  const sent = await findChangeSent(tx, charge);
  if (!sent) return false;
  return !isRepeated || entry.occurrenceDay === undefined || entry.occurrenceDay >= civilDay(sent.firstAt);
}
