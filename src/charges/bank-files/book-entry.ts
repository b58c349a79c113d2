// Books one entry of a return file, which is about one title, the way reports of PSPs are booked. Booking an entry again changes
// nothing, so a reading that was interrupted may repeat some.

import { type Charge, type ChargeMethod, isOf, paymentRequest } from '../charge.ts';
import { writeOffBoleto } from '../write-off.ts';
import { bookDueDay, bookRefusal } from './book-due-day.ts';
import { bookPayment, bookStrangeMoney, hasOddMoney, keepMoney } from './book-payment.ts';
import { bookReversal } from './book-reversal.ts';
import { type BookDeps, type Booking, type ReportedEntry, reasonsIn, unchanged } from './booking.ts';
import { isSentTwice } from './store-answers.ts';

/** Its amounts cannot be read. Once the complete line arrives, it is booked normally. */
function damaged(damage: string): Booking {
  return { outcome: 'needs_attention', remark: `${damage} Nothing of it was booked: ask the bank for the whole file.` };
}

/** For a title that is not a boleto of this service. Its money is kept for a person to assign. */
export async function bookStranger(deps: BookDeps, reported: ReportedEntry): Promise<Booking> {
  const { entry } = reported;
  if (entry.damage !== undefined) return damaged(entry.damage);
  if (entry.meaning === 'paid') return (await bookStrangeMoney(deps, [reported]))[0]!;
  if (hasOddMoney(entry)) return keepMoney(deps, reported, undefined, oddMoney(reported));
  if (entry.meaning === 'unknown') return unknownCode(reported);
  if (entry.meaning === 'announced') return unchanged(reported, { outcome: 'noted' });
  return unchanged(reported, { outcome: entry.meaning === 'fee' ? 'fee' : 'unmatched' });
}

export async function bookEntry(deps: BookDeps, reported: ReportedEntry, charge: Charge): Promise<Booking> {
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto) return bookStranger(deps, reported);
  const { damage } = reported.entry;
  if (damage !== undefined) return damaged(damage);
  if (!hasOddMoney(reported.entry)) return bookMeaning(deps, reported, charge, boleto);
  // A boleto cannot be both paid and refused: the person who handles the money decides which is true.
  const booking = reported.entry.meaning === 'rejected' ? undefined : await bookMeaning(deps, reported, charge, boleto);
  const remark = [oddMoney(reported), booking?.remark].filter(Boolean).join(' ');
  return keepMoney(deps, reported, charge, remark);
}

function oddMoney({ entry: { occurrence, text } }: ReportedEntry): string {
  return `The code ${occurrence} (${text}) does not mean a payment but names an amount: it waits in the unmatched payments.`;
}

function unknownCode(reported: ReportedEntry): Booking {
  const remark = `The code ${reported.entry.occurrence} of the bank is unknown.`;
  return unchanged(reported, { outcome: 'needs_attention', remark });
}

async function bookMeaning(
  deps: BookDeps,
  reported: ReportedEntry,
  charge: Charge,
  boleto: ChargeMethod<'boleto'>,
): Promise<Booking> {
  switch (reported.entry.meaning) {
    case 'registered':
      return bookRegistration(deps, reported, charge, boleto);
    case 'rejected':
      return bookRejection(deps, reported, charge, boleto);
    case 'paid':
      return bookPayment(deps, reported, charge);
    case 'written_off':
      return bookWriteOff(deps, reported, charge);
    case 'reversed':
      return bookReversal(deps, reported, charge);
    case 'due_day_changed':
      return bookDueDay(deps, reported, charge);
    case 'refused':
      return bookRefusal(deps, reported, charge);
    case 'fee':
      return unchanged(reported, { outcome: 'fee' });
    case 'unknown':
      return unknownCode(reported);
    default:
      return unchanged(reported, { outcome: 'noted' });
  }
}

async function bookRegistration(
  deps: BookDeps,
  reported: ReportedEntry,
  charge: Charge,
  { status, instrument }: ChargeMethod<'boleto'>,
): Promise<Booking> {
  const { rail, entry, isRepeated } = reported;
  if (status === 'FAILED') {
    const remark = 'The bank registered a boleto that is recorded as failed.';
    return unchanged(reported, { outcome: 'needs_attention', remark });
  }
  if (isRepeated && status !== 'CREATING') return { outcome: 'repeated' };
  // Also for a boleto that has ended: the bank is then instructed to write it off.
  const { id: chargeId, accountId } = charge;
  const coded = instrument && rail.files?.withCode?.(instrument, entry, paymentRequest(charge, 'boleto'));
  const finding = { kind: 'registered', ...(coded && { instrument: coded }) } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'registered' };
}

/** Reason codes of a refusal because the bank already has the title. */
const KNOWN: readonly string[] = ['09', '63'];

async function bookRejection(
  deps: BookDeps,
  reported: ReportedEntry,
  charge: Charge,
  { status }: ChargeMethod,
): Promise<Booking> {
  const { entry } = reported;
  if (status === 'FAILED') return unchanged(reported, { outcome: 'rejected' });
  // A bank that receives a file twice refuses each of its titles the second time.
  if (status !== 'CREATING') {
    return unchanged(reported, { outcome: 'noted', remark: `Refused after it was decided: ${reasonsIn(entry)}.` });
  }
  const { id: chargeId, accountId } = charge;
  // The bank received a file twice, or received one that was believed lost: it has the title.
  if (entry.reasons.some(({ code }) => KNOWN.includes(code)) && (await isSentTwice(deps.db, chargeId))) {
    await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding: { kind: 'registered' } });
    return { outcome: 'registered', remark: `It was sent twice: ${reasonsIn(entry)}.` };
  }
  const finding = { kind: 'rejected', reason: `The bank refused it: ${reasonsIn(entry)}.` } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'rejected' };
}

/** Reason codes of a write-off because the boleto expired at the bank. */
const RAN_OUT: readonly string[] = ['12', '13'];

async function bookWriteOff(deps: BookDeps, reported: ReportedEntry, charge: Charge): Promise<Booking> {
  const hasRunOut = reported.entry.reasons.some(({ code }) => RAN_OUT.includes(code));
  const hasEnded = await writeOffBoleto(deps, charge.id, hasRunOut ? 'EXPIRED' : 'CANCELED');
  return hasEnded ? { outcome: 'written_off' } : unchanged(reported, { outcome: 'written_off' });
}
