// The amount owed on a charge on a civil day, as lines, each with the rule behind it. Pure. If the due day is not a banking
// day, pix moves it to the next one and counts interest from there; a boleto may be paid on the next banking day without
// interest, but after that interest counts from the original due day.
import assert from 'node:assert/strict';
import { type BankingDayOverrides, nextBankingDay } from '../lib/banking-days.ts';
import { addDays, type CivilDay, daysBetween } from '../lib/civil-days.ts';
import { comparePercents, interestTruncated, percentTruncated, plainPercent } from '../lib/percents.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Method } from '../rails/methods/methods.ts';
import { afterAbatement, type Reductions } from '../rails/reductions.ts';
import { abatementLines, discountLines, REDUCTION_RULES } from './amount-reductions.ts';

export type AmountQuestion = Reductions & {
  readonly method: Method;
  readonly payableCents: bigint;
  /** Decimal text: percent of the amount, charged once. */
  readonly finePercent?: string;
  /** Decimal text: percent per month; each calendar day counts a thirtieth of it. */
  readonly interestPercent?: string;
  readonly dueDay: CivilDay;
  /** The last day of the validity that the caller requested; not before the due day. */
  readonly expireDay: CivilDay;
  readonly on: CivilDay;
  /** When the charge was created: no payment is earlier, so discounts are those of this day at most. */
  readonly createdDay?: CivilDay;
  /** A pix that ends at an exact time: banking days do not move its days. */
  readonly isInstant?: boolean;
  readonly overrides?: BankingDayOverrides;
};

export const AMOUNT_RULES = [
  'on_time',
  'instant_pix',
  'pix_due_day_shift',
  'lei_7089_1983',
  'asked_amount',
  'fine_once',
  'interest_from_effective_due_day',
  'interest_from_original_due_day',
  ...REDUCTION_RULES,
] as const;
type AmountRule = (typeof AMOUNT_RULES)[number];

export const AMOUNT_KINDS = ['original', 'abatement', 'discount', 'fine', 'interest'] as const;

export type AmountLine = {
  readonly kind: (typeof AMOUNT_KINDS)[number];
  /** Below zero where it is taken off. */
  readonly amountCents: bigint;
  /** The percent that was applied, in its shortest form; the original amount has no percent. */
  readonly rate?: string;
  /** The number of days for which interest or a discount was counted. */
  readonly days?: number;
  /** The last day of a discount, a banking day. */
  readonly until?: CivilDay;
  readonly rule: AmountRule;
  readonly explanation: string;
};

export type AmountOwed = {
  readonly on: CivilDay;
  readonly method: Method;
  readonly dueDay: CivilDay;
  /** The last day without fine and interest: the first banking day on or after the due day; for an instant pix, its last day. */
  readonly effectiveDueDay: CivilDay;
  readonly lastPayableDay: CivilDay;
  /** Whether the charge can still be paid on this day. The lines are computed in any case: a later payment still counts. */
  readonly payable: boolean;
  /** The number of calendar days for which interest is counted: zero up to the effective due day. */
  readonly lateDays: number;
  readonly lines: readonly AmountLine[];
  readonly totalCents: bigint;
};

/**
 * The amount owed on a day. Each part is truncated to cents separately. A percent of zero gives no line; a percent so small that it
 * truncates to zero cents gives a line of zero.
 */
export function amountOwed(question: AmountQuestion): AmountOwed {
  const { on, method, dueDay, expireDay, overrides } = question;
  assert(question.payableCents >= 0n, 'an amount is never negative');
  assert(expireDay >= dueDay, 'a charge does not expire before it is due');
  const effectiveDueDay = question.isInstant ? expireDay : nextBankingDay(dueDay, overrides);
  const lastDay = lastPayableDay(question);
  const isLate = on > effectiveDueDay;
  const lateDays = isLate ? daysBetween(ABILITIES[method].movesDueDay ? effectiveDueDay : dueDay, on) : 0;
  const lines = [
    originalLine(question, effectiveDueDay, isLate),
    ...abatementLines({ createdDay: on, ...question, effectiveDueDay }),
    ...(isLate
      ? lateLines(question, effectiveDueDay, lateDays)
      : discountLines({ createdDay: on, ...question, effectiveDueDay })),
  ];
  return {
    on,
    method,
    dueDay,
    effectiveDueDay,
    lastPayableDay: lastDay,
    payable: on <= lastDay,
    lateDays,
    lines,
    totalCents: lines.reduce((sum, line) => sum + line.amountCents, 0n),
  };
}

type Days = Pick<AmountQuestion, 'method' | 'dueDay' | 'expireDay' | 'isInstant' | 'overrides'>;

/** The last day on which the charge can be paid. */
export function lastPayableDay(days: Days): CivilDay {
  if (days.isInstant) return days.expireDay;
  return nextBankingDay(lastAskedDay(days, nextBankingDay(days.dueDay, days.overrides)), days.overrides);
}

/**
 * The last day before the move to a banking day. A pix is valid for a number of days after its effective due day, a
 * boleto until a date. That date moves too: otherwise a boleto that is due and expires on a Saturday could not be paid on
 * the Monday that the law allows.
 */
function lastAskedDay({ method, dueDay, expireDay }: Days, effectiveDueDay: CivilDay): CivilDay {
  return ABILITIES[method].movesDueDay ? addDays(effectiveDueDay, daysBetween(dueDay, expireDay)) : expireDay;
}

type Reason = Pick<AmountLine, 'rule' | 'explanation'>;

function originalLine(question: AmountQuestion, effectiveDueDay: CivilDay, isLate: boolean): AmountLine {
  const isReduced = question.abatement !== undefined || question.discounts !== undefined;
  const reason = isLate || isReduced ? ASKED : onTime(question, effectiveDueDay);
  return { kind: 'original', amountCents: question.payableCents, ...reason };
}

const ASKED: Reason = { rule: 'asked_amount', explanation: 'The original amount of the charge.' };

function onTime({ method, dueDay, isInstant }: AmountQuestion, effectiveDueDay: CivilDay): Reason {
  if (isInstant) {
    return {
      rule: 'instant_pix',
      explanation:
        'The code is valid for at most 24 hours and ends at an exact time, so only the original amount is owed.',
    };
  }
  if (effectiveDueDay === dueDay) {
    return {
      rule: 'on_time',
      explanation: `Up to and including the due day, ${dueDay}, only the original amount is owed.`,
    };
  }
  if (ABILITIES[method].movesDueDay) {
    return {
      rule: 'pix_due_day_shift',
      explanation:
        `${dueDay} is not a banking day, so the due day is ${effectiveDueDay}; until then only the original amount is owed ` +
        '(Bacen Pix API 2.9.0, validadeAposVencimento).',
    };
  }
  return {
    rule: 'lei_7089_1983',
    explanation:
      `${dueDay} is not a banking day, so up to ${effectiveDueDay}, the next one, only the original amount is owed ` +
      '(Lei 7.089/1983, art. 1).',
  };
}

/** Percents are of what the abatement leaves. */
function lateLines(question: AmountQuestion, effectiveDueDay: CivilDay, days: number): AmountLine[] {
  const { payableCents, abatement, finePercent, interestPercent } = question;
  const baseCents = afterAbatement(payableCents, abatement);
  const lines: AmountLine[] = [];
  if (isCharged(finePercent)) {
    const rate = plainPercent(finePercent);
    const amountCents = percentTruncated(baseCents, finePercent);
    lines.push({ kind: 'fine', amountCents, rate, ...fineReason(question, effectiveDueDay, rate) });
  }
  if (isCharged(interestPercent)) {
    const rate = plainPercent(interestPercent);
    const amountCents = interestTruncated(baseCents, interestPercent, days);
    lines.push({ kind: 'interest', amountCents, rate, days, ...interestReason(question, effectiveDueDay, rate, days) });
  }
  return lines;
}

function isCharged(percent: string | undefined): percent is string {
  return percent !== undefined && comparePercents(percent, '0') > 0;
}

function fineReason({ method, abatement }: AmountQuestion, effectiveDueDay: CivilDay, rate: string): Reason {
  const base = abatement ? 'what the abatement leaves' : 'the amount';
  const source = ABILITIES[method].movesDueDay ? 'Bacen Pix API 2.9.0, multa, modalidade 2' : 'Código Civil, art. 408';
  return {
    rule: 'fine_once',
    explanation: `${rate} % of ${base}, once, for paying after ${effectiveDueDay}, truncated to cents (${source}).`,
  };
}

function interestReason(question: AmountQuestion, effectiveDueDay: CivilDay, rate: string, days: number): Reason {
  const { method, dueDay } = question;
  const counted = `${rate} % per month, one thirtieth of it per day, for ${days} calendar ${days === 1 ? 'day' : 'days'}`;
  if (ABILITIES[method].movesDueDay) {
    return {
      rule: 'interest_from_effective_due_day',
      explanation:
        `${counted} since the due day, ${effectiveDueDay}, truncated to cents ` +
        '(Bacen Pix API 2.9.0, juros, modalidade 3).',
    };
  }
  // The law waives the interest only for a payment on the next banking day; later, the court counts from the original day.
  const source = effectiveDueDay === dueDay ? 'Código Civil, art. 397' : 'Lei 7.089/1983, art. 1; STJ, REsp 1.954.924';
  return {
    rule: 'interest_from_original_due_day',
    explanation: `${counted} since the original due day, ${dueDay}, truncated to cents (${source}).`,
  };
}
