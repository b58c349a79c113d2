// Books what a return file says of one title, through the ways that the rails of PSPs use too. To book an entry again changes
// nothing, so a reading that was cut off may repeat some.
import { type CivilDay, civilDay, lastSecondOf } from '../lib/civil-days.ts';
import { earlierOf } from '../lib/clock.ts';
import type { ReturnEntry } from '../rails/cnab/read.ts';
import type { Rail, Receipt } from '../rails/rail.ts';
import type { Rails } from '../rails/rails.ts';
import type { Sql } from '../storage/database.ts';
import { applyDueDate, failDueChange } from './change-due-date.ts';
import { type Charge, type ChargeMethod, isOf, type Payment, paymentRequest, type Refund } from './charge.ts';
import type { DecisionBatches } from './decide.ts';
import { ENDED } from './instruct.ts';
import { isPayable, unreturnedCents } from './life.ts';
import { isPixId } from './payment-reference.ts';
import { type ReceiptDeps, takeReceipt, takeReceiptOf } from './receipts.ts';
import { recordReturnsOf } from './returns.ts';
import { lockCharges } from './store.ts';
import { isChangeSent } from './store-boleto-files.ts';
import { comparable } from './store-money.ts';
import type { ReturnOutcome } from './store-returns.ts';
import { insertUnmatched } from './store-unmatched.ts';
import { writeOffBoleto } from './write-off.ts';

export type BookDeps = ReceiptDeps & { readonly rails: Rails; readonly decisionBatches: DecisionBatches };

export type Booking = {
  readonly outcome: ReturnOutcome;
  /** For a person, where the outcome does not say it all. */
  readonly remark?: string;
};

export type Told = {
  readonly rail: Rail;
  readonly entry: ReturnEntry;
  /** The same whenever a bank tells this of the title; part of the reference of a payment. */
  readonly mark: string;
  /** The day of the file, for an entry that has none. */
  readonly fileDay: CivilDay | undefined;
};

/** Of a title that is no boleto of this service. Its money is kept for a person. */
export async function bookStranger(deps: BookDeps, told: Told): Promise<Booking> {
  const { meaning, paidCents } = told.entry;
  if (meaning === 'fee') return { outcome: 'fee' };
  if (meaning !== 'paid') return { outcome: 'unmatched' };
  if (paidCents === 0n) return { outcome: 'needs_attention', remark: NO_AMOUNT };
  // Without the number: a charge of this service may have the same one.
  const { requestReference: _, ...receipt } = receiptOf(deps, told);
  await takeReceipt(deps, { rail: told.rail, names: [told.rail.name] }, receipt);
  return { outcome: 'unmatched' };
}

const NO_AMOUNT = 'The payment has no amount.';

export async function bookEntry(deps: BookDeps, told: Told, charge: Charge): Promise<Booking> {
  const boleto = charge.methods.find(isOf('boleto'));
  if (!boleto) return bookStranger(deps, told);
  switch (told.entry.meaning) {
    case 'registered':
      return bookRegistration(deps, told, charge, boleto);
    case 'rejected':
      return bookRejection(deps, told, charge, boleto);
    case 'paid':
      return bookPayment(deps, told, charge, boleto);
    case 'written_off':
      return bookWriteOff(deps, told, charge);
    case 'reversed':
      return bookReversal(deps, told, charge);
    case 'due_day_changed':
      return bookDueDay(deps, told, charge);
    case 'refused':
      return bookRefusal(deps, told, charge);
    case 'fee':
      return { outcome: 'fee' };
    default:
      return { outcome: 'noted' };
  }
}

async function bookRegistration(
  deps: BookDeps,
  { rail, entry }: Told,
  charge: Charge,
  { status, instrument }: ChargeMethod<'boleto'>,
): Promise<Booking> {
  if (status === 'FAILED') {
    return { outcome: 'needs_attention', remark: 'The bank has registered a boleto that has failed here.' };
  }
  // Also for one that has ended: then the bank is told to write it off.
  const { id: chargeId, accountId } = charge;
  const coded = instrument && rail.files?.withCode?.(instrument, entry, paymentRequest(charge));
  const finding = { kind: 'registered', ...(coded && { instrument: coded }) } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'registered' };
}

async function bookRejection(
  deps: BookDeps,
  { entry }: Told,
  charge: Charge,
  { status }: ChargeMethod,
): Promise<Booking> {
  if (status === 'FAILED') return { outcome: 'rejected' };
  // A file that reached the bank twice is refused the second time, title by title.
  if (status !== 'CREATING') return { outcome: 'noted', remark: `Refused after it was decided: ${reasonsIn(entry)}.` };
  const { id: chargeId, accountId } = charge;
  const finding = { kind: 'rejected', reason: `The bank refused it: ${reasonsIn(entry)}.` } as const;
  await deps.decisionBatches.add({ chargeId, accountId, method: 'boleto', finding });
  return { outcome: 'rejected' };
}

async function bookPayment(
  deps: BookDeps,
  told: Told,
  charge: Charge,
  { instrument }: ChargeMethod<'boleto'>,
): Promise<Booking> {
  if (told.entry.paidCents === 0n) return { outcome: 'needs_attention', remark: NO_AMOUNT };
  const isByPix = instrument?.pix !== undefined && told.entry.reasons[0]?.code === BY_PIX;
  const receipt: Receipt = { ...receiptOf(deps, told), ...(isByPix && { isByPix }) };
  const same = charge.payments.find(payment => mayBeSame(payment, receipt));
  if (same) {
    await keepDuplicate(deps, receipt, same);
    return { outcome: 'possible_duplicate', remark: `It may be the payment ${same.reference}.` };
  }
  const isTaken = await takeReceiptOf(deps, told.rail, charge.id, receipt);
  return isTaken ? { outcome: 'paid' } : { outcome: 'unmatched', remark: 'The charge cannot take the payment.' };
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

async function keepDuplicate(deps: BookDeps, receipt: Receipt, { reference }: Payment): Promise<void> {
  const unmatched = {
    reference: receipt.reference,
    postedAt: receipt.paidAt,
    amountCents: receipt.amountCents,
    words: 'The bank tells of a second payment of a boleto.',
    reason: 'possible_duplicate',
    duplicateOf: reference,
  } as const;
  await deps.db.transaction(tx => insertUnmatched(tx, unmatched, deps.clock.now()));
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

/** Only the day that was asked for is taken; another one was changed at the bank, and is for a person. */
function bookDueDay(deps: BookDeps, { entry }: Told, { id }: Charge): Promise<Booking> {
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
function bookRefusal(deps: BookDeps, { entry }: Told, { id }: Charge): Promise<Booking> {
  const remark = `The bank refused an instruction: ${reasonsIn(entry)}.`;
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    if (charge?.dueChange?.status === 'PENDING' && (await isChangeSent(tx, charge))) {
      await failDueChange(deps, tx, charge, remark);
    }
    return { outcome: 'needs_attention', remark };
  });
}

/** Reasons of a write-off because its time at the bank ran out. */
const RAN_OUT: readonly string[] = ['12', '13'];

async function bookWriteOff(deps: BookDeps, { entry }: Told, charge: Charge): Promise<Booking> {
  const hasRunOut = entry.reasons.some(({ code }) => RAN_OUT.includes(code));
  await writeOffBoleto(deps, charge.id, hasRunOut ? 'EXPIRED' : 'CANCELED');
  return { outcome: 'written_off' };
}

/** Under the lock of the charge: two files may tell of one reversal at the same time. */
function bookReversal(deps: BookDeps, told: Told, { id }: Charge): Promise<Booking> {
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [id]);
    return charge ? reverse(deps, tx, told, charge) : { outcome: 'unmatched' };
  });
}

async function reverse(deps: BookDeps, tx: Sql, { entry, mark, fileDay }: Told, charge: Charge): Promise<Booking> {
  if (charge.refunds.some(({ reference }) => reference?.endsWith(mark))) return { outcome: 'reversed' };
  const day = entry.occurrenceDay ?? fileDay ?? civilDay(deps.clock.now());
  if (charge.refunds.some(refund => mayBeSameReversal(refund, charge, entry.paidCents, day))) {
    return { outcome: 'needs_attention', remark: 'The bank may have told of this reversal before, in other words.' };
  }
  const payments = charge.payments.filter(({ method }) => method === 'boleto').toReversed();
  const fits = (payment: Payment) => unreturnedCents(charge, payment) >= (entry.paidCents || payment.amountCents);
  const payment = payments.find(one => one.amountCents === entry.paidCents && fits(one)) ?? payments.find(fits);
  if (!payment) {
    return { outcome: 'needs_attention', remark: 'The bank reversed something that was not paid here.' };
  }
  await recordReturnsOf(deps, tx, charge, payment, [
    {
      reference: `${day} ${mark}`,
      amountCents: entry.paidCents || payment.amountCents,
      status: 'DONE',
      at: deps.clock.now(),
      reason: 'The bank reversed the payment of the boleto.',
    },
  ]);
  return { outcome: 'reversed' };
}

/**
 * As with payments: two reversals of a day and amount are one until a person says otherwise. What a pix rail has told to have gone back
 * has no day in its reference, and is compared by the amount alone.
 */
function mayBeSameReversal(
  { kind, amountCents, reference = '' }: Refund,
  { payments }: Charge,
  cents: bigint,
  day: CivilDay,
): boolean {
  const isSameAmount =
    cents === 0n ? payments.some(payment => payment.amountCents === amountCents) : amountCents === cents;
  const [told] = /^\d{4}-\d{2}-\d{2}(?= )/.exec(reference) ?? [];
  return kind === 'return' && isSameAmount && (told === undefined || told === day);
}

function reasonsIn({ reasons, words }: ReturnEntry): string {
  return reasons.length === 0 ? words : reasons.map(({ code, words: why }) => `${code} ${why}`).join(', ');
}
