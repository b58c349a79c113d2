// Books an entry of a return file, which is about one title, as reports of PSPs are booked. To book an entry again changes
// nothing, so a reading that was cut off may repeat some.

import { type Charge, type ChargeMethod, isOf, paymentRequest } from '../charge.ts';
import { writeOffBoleto } from '../write-off.ts';
import { bookDueDay, bookRefusal } from './book-due-day.ts';
import { bookPayment, bookStrangeMoney, hasOddMoney, keepMoney } from './book-payment.ts';
import { bookReversal } from './book-reversal.ts';
import { type BookDeps, type Booking, reasonsIn, type Told, unchanged } from './booking.ts';
import { isSentTwice } from './store-answers.ts';

/** Nothing is known of its amounts: the whole line, once it comes, is booked as it says. */
function damaged(damage: string): Booking {
  return { outcome: 'needs_attention', remark: `${damage} Nothing of it is booked: ask the bank for the whole file.` };
}

/** Of a title that is no boleto of this service. Its money is kept for a person. */
export async function bookStranger(deps: BookDeps, told: Told): Promise<Booking> {
  const { entry } = told;
  if (entry.damage !== undefined) return damaged(entry.damage);
  if (entry.meaning === 'paid') return (await bookStrangeMoney(deps, [told]))[0]!;
  if (hasOddMoney(entry)) return keepMoney(deps, told, undefined, oddMoney(told));
  if (entry.meaning === 'unknown') return unknownCode(told);
  if (entry.meaning === 'announced') return unchanged(told, { outcome: 'noted' });
  return unchanged(told, { outcome: entry.meaning === 'fee' ? 'fee' : 'unmatched' });
}

export async function bookEntry(deps: BookDeps, told: Told, charge: Charge): Promise<Booking> {
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto) return bookStranger(deps, told);
  const { damage } = told.entry;
  if (damage !== undefined) return damaged(damage);
  if (!hasOddMoney(told.entry)) return bookMeaning(deps, told, charge, boleto);
  // A boleto that was paid is not refused: which of the two is true is for the person to say who sees to the money.
  const booking = told.entry.meaning === 'rejected' ? undefined : await bookMeaning(deps, told, charge, boleto);
  const remark = [oddMoney(told), booking?.remark].filter(Boolean).join(' ');
  return keepMoney(deps, told, charge, remark);
}

function oddMoney({ entry: { occurrence, text } }: Told): string {
  return `The code ${occurrence} (${text}) tells of no payment, but names an amount: it waits in the unmatched payments.`;
}

function unknownCode(told: Told): Booking {
  const remark = `The code ${told.entry.occurrence} of the bank is not known here.`;
  return unchanged(told, { outcome: 'needs_attention', remark });
}

async function bookMeaning(
  deps: BookDeps,
  told: Told,
  charge: Charge,
  boleto: ChargeMethod<'boleto'>,
): Promise<Booking> {
  switch (told.entry.meaning) {
    case 'registered':
      return bookRegistration(deps, told, charge, boleto);
    case 'rejected':
      return bookRejection(deps, told, charge, boleto);
    case 'paid':
      return bookPayment(deps, told, charge);
    case 'written_off':
      return bookWriteOff(deps, told, charge);
    case 'reversed':
      return bookReversal(deps, told, charge);
    case 'due_day_changed':
      return bookDueDay(deps, told, charge);
    case 'refused':
      return bookRefusal(deps, told, charge);
    case 'fee':
      return unchanged(told, { outcome: 'fee' });
    case 'unknown':
      return unknownCode(told);
    default:
      return unchanged(told, { outcome: 'noted' });
  }
}

async function bookRegistration(
  deps: BookDeps,
  told: Told,
  charge: Charge,
  { status, instrument }: ChargeMethod<'boleto'>,
): Promise<Booking> {
  const { rail, entry, isToldBefore } = told;
  if (status === 'FAILED') {
    const remark = 'The bank has registered a boleto that has failed here.';
    return unchanged(told, { outcome: 'needs_attention', remark });
  }
  if (isToldBefore && status !== 'CREATING') return { outcome: 'repeated' };
  // Also for one that has ended: then the bank is instructed to write it off.
  const { id: chargeId, accountId } = charge;
  const coded = instrument && rail.files?.withCode?.(instrument, entry, paymentRequest(charge, 'boleto'));
  const finding = { kind: 'registered', ...(coded && { instrument: coded }) } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'registered' };
}

/** Reasons of a refusal because the bank has the title. */
const KNOWN: readonly string[] = ['09', '63'];

async function bookRejection(deps: BookDeps, told: Told, charge: Charge, { status }: ChargeMethod): Promise<Booking> {
  const { entry } = told;
  if (status === 'FAILED') return unchanged(told, { outcome: 'rejected' });
  // A file that reached the bank twice is refused the second time, title by title.
  if (status !== 'CREATING') {
    return unchanged(told, { outcome: 'noted', remark: `Refused after it was decided: ${reasonsIn(entry)}.` });
  }
  const { id: chargeId, accountId } = charge;
  // The bank got a file twice, or got one that was believed lost: it has the title.
  if (entry.reasons.some(({ code }) => KNOWN.includes(code)) && (await isSentTwice(deps.db, chargeId))) {
    await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding: { kind: 'registered' } });
    return { outcome: 'registered', remark: `It was sent twice: ${reasonsIn(entry)}.` };
  }
  const finding = { kind: 'rejected', reason: `The bank refused it: ${reasonsIn(entry)}.` } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'rejected' };
}

/** Reasons of a write-off because its time at the bank ran out. */
const RAN_OUT: readonly string[] = ['12', '13'];

async function bookWriteOff(deps: BookDeps, told: Told, charge: Charge): Promise<Booking> {
  const hasRunOut = told.entry.reasons.some(({ code }) => RAN_OUT.includes(code));
  const hasEnded = await writeOffBoleto(deps, charge.id, hasRunOut ? 'EXPIRED' : 'CANCELED');
  return hasEnded ? { outcome: 'written_off' } : unchanged(told, { outcome: 'written_off' });
}
