// Books the money of which a return file tells.
import { civilDay, lastSecondOf } from '../lib/civil-days.ts';
import { earlierOf } from '../lib/clock.ts';
import type { ReturnEntry } from '../rails/cnab/read.ts';
import type { Receipt } from '../rails/rail.ts';
import type { BookDeps, Booking, Told } from './booking.ts';
import { type Charge, isOf, type Payment } from './charge.ts';
import { isPixId } from './payment-reference.ts';
import { takeReceipt, takeReceiptOf } from './receipts.ts';
import { comparable } from './store-money.ts';
import { insertUnmatched } from './store-unmatched.ts';

export async function bookPayment(deps: BookDeps, told: Told, charge: Charge): Promise<Booking> {
  const { entry } = told;
  if (entry.paidCents === 0n) return keepMoney(deps, told, charge, NO_AMOUNT);
  const { instrument } = charge.methods.find(isOf('boleto')) ?? {};
  const isByPix = instrument?.pix !== undefined && entry.reasons[0]?.code === BY_PIX;
  const receipt: Receipt = { ...receiptOf(deps, told), ...(isByPix && { isByPix }) };
  const same = charge.payments.find(payment => mayBeSame(payment, receipt));
  if (same) {
    await keep(deps, receipt, 'The bank tells of a second payment of a boleto.', same);
    return { outcome: 'possible_duplicate', remark: `It may be the payment ${same.reference}.` };
  }
  const isTaken = await takeReceiptOf(deps, told.rail, charge.id, receipt);
  return isTaken ? { outcome: 'paid' } : { outcome: 'unmatched', remark: 'The charge cannot take the payment.' };
}

const NO_AMOUNT = 'The payment has no amount.';

/** Of a title that is no boleto of this service: a person says whose it is. */
export async function bookStrangeMoney(deps: BookDeps, told: Told): Promise<Booking> {
  if (told.entry.paidCents === 0n) return keepMoney(deps, told, undefined, NO_AMOUNT);
  // Without the number: a charge of this service may have the same one.
  const { requestReference: _, ...receipt } = receiptOf(deps, told);
  await takeReceipt(deps, { rail: told.rail, names: [told.rail.name] }, receipt);
  return { outcome: 'unmatched' };
}

/** Whether an entry names money though its word is none of a payment. */
export function hasOddMoney({ meaning, paidCents, creditedCents }: ReturnEntry): boolean {
  return meaning !== 'paid' && meaning !== 'reversed' && (paidCents > 0n || creditedCents > 0n);
}

/** Keeps money of which it is not clear what it is, once, until a person has decided. */
export async function keepMoney(
  deps: BookDeps,
  told: Told,
  charge: Charge | undefined,
  remark: string,
): Promise<Booking> {
  const { paidCents, creditedCents, occurrence, words } = told.entry;
  const receipt = { ...receiptOf(deps, told), amountCents: paidCents || creditedCents };
  if (receipt.amountCents > 0n) {
    const same = charge?.payments.find(payment => mayBeSame(payment, receipt));
    await keep(deps, receipt, `The bank names an amount with the code ${occurrence}: ${words}.`, same);
  }
  return { outcome: 'needs_attention', remark };
}

async function keep(deps: BookDeps, receipt: Receipt, words: string, same: Payment | undefined): Promise<void> {
  const { reference, paidAt, amountCents } = receipt;
  const unmatched = {
    ...{ reference, postedAt: paidAt, amountCents, words },
    reason: same ? 'possible_duplicate' : 'no_match',
    ...(same && { duplicateOf: same.reference }),
  } as const;
  await deps.db.transaction(tx => insertUnmatched(tx, unmatched, deps.clock.now()));
}

/** The channel of a boleto that was paid by its pix code. */
const BY_PIX = '61';

/** A bank that tells of a payment in other words tells of one payment; that a payer has paid twice is for a person to say. */
function mayBeSame({ method, source, amountCents, paidAt, reference, isByPix }: Payment, receipt: Receipt): boolean {
  // A pix that its own rail has told of is the same money for certain, and judged as such.
  if (isByPix && receipt.isByPix && isPixId(reference)) return false;
  if (method === 'boleto' && source === 'operator' && comparable(reference) !== comparable(receipt.reference))
    return true;
  return (
    method === 'boleto' &&
    amountCents === receipt.amountCents &&
    civilDay(paidAt) === civilDay(receipt.paidAt) &&
    comparable(reference) !== comparable(receipt.reference)
  );
}

function receiptOf({ clock }: BookDeps, { entry, mark, fileDay }: Told): Receipt {
  const { ourNumber, numberText, paidCents, feeCents, creditDay, occurrenceDay } = entry;
  const now = clock.now();
  const day = occurrenceDay ?? creditDay ?? fileDay ?? civilDay(now);
  return {
    reference: `${ourNumber ?? numberText} ${day} ${mark}`,
    ...(ourNumber !== undefined && { requestReference: ourNumber }),
    amountCents: paidCents,
    // A bank tells the day and no time.
    paidAt: earlierOf(lastSecondOf(day), now),
    returns: [],
    feeCents,
    ...(creditDay !== undefined && { creditDay }),
    ...channelIn(entry),
  };
}

/** The first reason of a payment. A code of another form is left out. */
function channelIn({ reasons: [first] }: ReturnEntry): { readonly channel?: string } {
  return first && /^[0-9A-Z]{2}$/.test(first.code) ? { channel: first.code } : {};
}
