// What is taken off a charge: an abatement whenever it is paid, and discounts for paying early. Pure. The arithmetic is that of the Manual de
// Padrões para Iniciação do Pix, annex III, section 4, for boletos too: percents are truncated to cents, and those of a discount are of
// what the abatement leaves.
import { type BankingDayOverrides, bankingDaysBetween, nextBankingDay } from '../lib/banking-days.ts';
import { type CivilDay, daysBetween } from '../lib/civil-days.ts';
import { parseUnits } from '../lib/decimals.ts';
import { percentTruncated } from '../lib/percents.ts';

/** An amount, or a percent as decimal text. */
export type Reduction = { readonly amountCents: bigint } | { readonly percent: string };

/** Which days before the due day count. */
export const EARLY_DAYS = ['calendar', 'banking'] as const;
export type EarlyDays = (typeof EARLY_DAYS)[number];

/** For paying on or before a day, or for each day before the due day. */
export type Discount = Reduction & ({ readonly until: CivilDay } | { readonly perDay: EarlyDays });

/** As many as banks and PSPs take for one charge. */
export const MAX_DISCOUNTS = 3;

export type Reductions = {
  readonly abatement?: Reduction;
  /** In the order of their days, all of one kind; one that counts days is the only one. */
  readonly discounts?: readonly Discount[];
};

/** Codes of the kinds, the same in the Pix API («modalidade»), in CNAB 240 (C021) and at Sicoob («tipoDesconto»). */
const DISCOUNT_CODES = {
  until: { amount: 1, percent: 2 },
  calendar: { amount: 3, percent: 5 },
  banking: { amount: 4, percent: 6 },
} as const;

export function discountCode(discount: Discount): 1 | 2 | 3 | 4 | 5 | 6 {
  return DISCOUNT_CODES['until' in discount ? 'until' : discount.perDay]['percent' in discount ? 'percent' : 'amount'];
}

/** Cents, or hundredths of a percent: undefined for a percent that is finer. */
export function hundredthsIn(reduction: Reduction): bigint | undefined {
  return 'percent' in reduction ? parseUnits(reduction.percent, 2) : reduction.amountCents;
}

/** The path of a percent that is finer than a hundredth, which no bank takes. */
export function tooFinePercent({ abatement, discounts = [] }: Reductions): string | undefined {
  if (abatement && hundredthsIn(abatement) === undefined) return 'abatement.percent';
  const index = discounts.findIndex(discount => hundredthsIn(discount) === undefined);
  return index < 0 ? undefined : `discounts[${index}].percent`;
}

/** When a discount is asked about. */
type DiscountDays = {
  readonly on: CivilDay;
  /** A discount for each day counts the days from the payment to this one. */
  readonly dueDay: CivilDay;
  readonly overrides?: BankingDayOverrides;
};

/** A discount that is given on a day. `until`: its last day, moved to a banking day. `days`: how many days it counts. */
export type GivenDiscount = {
  readonly discount: Discount;
  readonly amountCents: bigint;
  readonly until?: CivilDay;
  readonly days?: number;
};

/** What a reduction takes off an amount, times a count; a percent is truncated once. */
export function reductionOf(amountCents: bigint, reduction: Reduction, times = 1): bigint {
  return 'percent' in reduction
    ? percentTruncated(amountCents * BigInt(times), reduction.percent)
    : reduction.amountCents * BigInt(times);
}

/** What the abatement leaves of an amount: discounts, fine and interest in percent are of this. */
export function afterAbatement(amountCents: bigint, abatement: Reduction | undefined): bigint {
  return abatement ? amountCents - reductionOf(amountCents, abatement) : amountCents;
}

/**
 * The discount on a day: the first one whose last day has not passed. A last day that is not a banking day moves to the next one, so two
 * of them may end on one day: then the earlier one counts.
 */
export function discountOn(
  { abatement, discounts = [] }: Reductions,
  amountCents: bigint,
  { on, dueDay, overrides }: DiscountDays,
): GivenDiscount | undefined {
  const baseCents = afterAbatement(amountCents, abatement);
  for (const discount of discounts) {
    if ('until' in discount) {
      const until = nextBankingDay(discount.until, overrides);
      if (on <= until) return { discount, amountCents: reductionOf(baseCents, discount), until };
    } else if (on < dueDay) {
      const isCalendar = discount.perDay === 'calendar';
      const days = isCalendar ? daysBetween(on, dueDay) : bankingDaysBetween(on, dueDay, overrides);
      if (days > 0) return { discount, amountCents: reductionOf(baseCents, discount, days), days };
    }
  }
  return undefined;
}
