// What a payment has to come to, so that everything is paid: what the bank asked for, and no discount for a part. Pure.
import { nextBankingDay } from '../../lib/banking-days.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { discountOn } from '../../rails/reductions.ts';
import type { AmountOwed } from '../amount.ts';
import { type Charge, payableReductions } from '../charge.ts';
import { heldCents } from '../life.ts';

/** A payment as its bank reports it. */
type AskedByBank = {
  readonly amountCents: bigint;
  readonly askedCents?: bigint;
  readonly discountCents?: bigint | undefined;
};

/**
 * What is owed and how much of a discount is in it, for a payment that the bank reports. The bank computes both itself: some get interest
 * by file in whole cents a day and ask for up to a cent a day less, and a discount ends later where a holiday of the payer's city moves
 * its day. A payment of what the bank asked for paid everything owed; amount and fine are never short. A request with an amount of its own
 * owes that amount.
 */
export function owedAsBankAsked(charge: Charge, owed: AmountOwed, report: AskedByBank): Owed {
  const { amountCents, askedCents, discountCents } = report;
  if (askedCents !== undefined) return { totalCents: askedCents, lines: [] };
  const { lines, lateDays, totalCents } = owed;
  const withBanks = totalCents + discountIn(owed) - (discountCents ?? 0n);
  if (discountCents !== undefined && discountCents <= mostDiscount(charge) && amountCents === withBanks) {
    return { totalCents: amountCents, lines: [] };
  }
  const interestCents = lines.find(({ kind }) => kind === 'interest')?.amountCents ?? 0n;
  const roundedCents = BigInt(lateDays) < interestCents ? BigInt(lateDays) : interestCents;
  return totalCents - roundedCents <= amountCents && amountCents < totalCents
    ? { totalCents: amountCents, lines }
    : { totalCents, lines };
}

type Owed = Pick<AmountOwed, 'totalCents' | 'lines'>;

/** What is taken off for paying early. */
function discountIn({ lines }: Owed): bigint {
  return -(lines.find(({ kind }) => kind === 'discount')?.amountCents ?? 0n);
}

/** Discounts only fall: that of the first day is the largest. */
function mostDiscount(charge: Charge): bigint {
  const dueDay = nextBankingDay(civilDay(charge.dueAt));
  const on = civilDay(charge.createdAt);
  return discountOn(payableReductions(charge), charge.payableCents, { on, dueDay })?.amountCents ?? 0n;
}

/**
 * What is owed in all with a payment: on the day of the first one. A discount is for who pays everything by its day: a payment that
 * leaves something open owes the amount without it, until payments together reach the amount with it in time.
 */
export function owedInAll(charge: Charge, owed: Owed, amountCents: bigint): bigint {
  const discountCents = discountIn(owed);
  const isEnough = heldCents(charge) + amountCents >= owed.totalCents;
  if (charge.owedCents === undefined) return isEnough ? owed.totalCents : owed.totalCents + discountCents;
  return charge.isPaidInPart && discountCents > 0n && isEnough ? owed.totalCents : charge.owedCents;
}
