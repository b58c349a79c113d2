// Books the answer of a bank to a change of the due day.
import { civilDay } from '../lib/civil-days.ts';
import { type BookDeps, type Booking, reasonsIn, type Told } from './booking.ts';
import { applyDueDate, failDueChange } from './change-due-date.ts';
import { type Charge, isOf } from './charge.ts';
import { ENDED } from './instruct.ts';
import { isPayable } from './life.ts';
import { lockCharges } from './store.ts';
import { isChangeSent } from './store-boleto-files.ts';

/** Only the day that was asked for is taken; another one was changed at the bank, and is for a person. */
export function bookDueDay(deps: BookDeps, { entry }: Told, { id }: Charge): Promise<Booking> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    const boleto = charge?.methods.find(isOf('boleto'));
    if (!charge || !boleto) return { outcome: 'unmatched' };
    const asked = charge.dueChange?.status === 'PENDING' ? charge.dueChange.dueAt : undefined;
    const day = entry.dueDay ?? (asked && civilDay(asked));
    if (!isPayable(boleto)) {
      if (asked) await failDueChange(deps, tx, charge, ENDED);
      return { outcome: 'noted' };
    }
    if (asked && day === civilDay(asked)) {
      await applyDueDate(deps, tx, charge, asked);
      return { outcome: 'noted', remark: `The due day is ${day}.` };
    }
    if (day === undefined || day === civilDay(charge.dueAt)) return { outcome: 'noted' };
    return { outcome: 'needs_attention', remark: `The bank has the due day ${day}, which was not asked for here.` };
  });
}

/** While its boleto is open, a change of the due day is all that a bank can refuse. */
export function bookRefusal(deps: BookDeps, { entry }: Told, { id }: Charge): Promise<Booking> {
  const remark = `The bank refused an instruction: ${reasonsIn(entry)}.`;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (charge?.dueChange?.status === 'PENDING' && (await isChangeSent(tx, charge))) {
      await failDueChange(deps, tx, charge, remark);
    }
    return { outcome: 'needs_attention', remark };
  });
}
