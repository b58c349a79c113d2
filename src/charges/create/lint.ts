// Warnings about input that is valid but looks like a mistake: odd fines or interest, what only a sandbox accepts, what a code cannot
// carry. A warning never refuses or changes a charge.

import { comparePercents, hundredthOf, percentTruncated, plainPercent } from '../../lib/percents.ts';
import { isStaticKey } from '../../rails/static-key/rail.ts';
import type { Charge, ChargeMethod, Customer } from '../charge.ts';
import { hasRightDigits, isDocument } from './check.ts';
import { pastDiscounts } from './check-reductions.ts';

const DISCOUNT_PATHS = ['discounts[0].until', 'discounts[1].until', 'discounts[2].until'] as const;
export const WARNING_PATHS = [
  ...(['taxes', 'taxes.fine', 'taxes.interest', 'customer.document', 'dueAt'] as const),
  ...DISCOUNT_PATHS,
] as const;
export const WARNING_CODES = [
  'above_legal_custom',
  'looks_like_basis_points',
  'not_in_static_code',
  'wrong_check_digits',
  'in_the_past',
] as const;

type ChargeWarning = {
  readonly path: (typeof WARNING_PATHS)[number];
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
};

type Taxes = { readonly payableCents: bigint; readonly finePercent?: string; readonly interestPercent?: string };
type LintedCharge = Taxes &
  Pick<Charge, 'discounts'> & {
    readonly methods: readonly Pick<ChargeMethod, 'rail' | 'status'>[];
    readonly customer: Pick<Customer, 'document'>;
    readonly dueAt: Date;
    readonly createdAt: Date;
  };

type UsualMaximum = {
  readonly path: ChargeWarning['path'];
  /** The highest customary value, in percent. */
  readonly percent: string;
  readonly source: string;
  /** The text after the percent: "2 %" or "1 % a month". */
  readonly period: string;
};

const FINE: UsualMaximum = { path: 'taxes.fine', percent: '2', source: ' (Lei 8.078/1990, art. 52)', period: '' };
const INTEREST: UsualMaximum = { path: 'taxes.interest', percent: '1', source: '', period: ' a month' };

/** A fine or interest of a fifth is hardly meant: from here on it was probably given in basis points or cents. */
const SUSPICIOUS_PERCENT = '20';

/** All warnings about a charge. */
export function chargeWarnings(charge: LintedCharge): ChargeWarning[] {
  return [...taxWarnings(charge), ...staticCodeWarning(charge), ...sandboxWarnings(charge)];
}

const PAST_MESSAGE = 'was in the past when the charge was created: live refuses it';

/** Only for sandbox charges: live refuses such a charge. */
function sandboxWarnings({ customer, dueAt, createdAt, discounts }: LintedCharge): ChargeWarning[] {
  const warnings: ChargeWarning[] = [];
  if (isDocument(customer.document) && !hasRightDigits(customer.document)) {
    const message = 'has wrong check digits: live refuses it';
    warnings.push({ path: 'customer.document', code: 'wrong_check_digits', message });
  }
  if (dueAt < createdAt) {
    warnings.push({
      path: 'dueAt',
      code: 'in_the_past',
      message: PAST_MESSAGE,
    });
  }
  for (const index of pastDiscounts(discounts, createdAt)) {
    warnings.push({ path: DISCOUNT_PATHS[index]!, code: 'in_the_past', message: PAST_MESSAGE });
  }
  return warnings;
}

/** A static code asks for the same amount on every day. */
function staticCodeWarning({ payableCents, finePercent, interestPercent, methods }: LintedCharge): ChargeWarning[] {
  const isTaxed = [finePercent, interestPercent].some(percent => percent !== undefined && /[1-9]/.test(percent));
  const isStatic = methods.some(({ rail, status }) => isStaticKey(rail) && status !== 'FAILED');
  if (!isTaxed || !isStatic) return [];
  const message = `are owed after the due day, but a static pix code always asks for ${brl(payableCents)}: a late payer would pay too little`;
  return [{ path: 'taxes', code: 'not_in_static_code', message }];
}

/** The warnings about the fine and the interest of a charge, with the resulting amounts in reais. */
export function taxWarnings({ payableCents, finePercent, interestPercent }: Taxes): ChargeWarning[] {
  return [...warn(FINE, payableCents, finePercent), ...warn(INTEREST, payableCents, interestPercent)];
}

function warn(usual: UsualMaximum, payableCents: bigint, percent: string | undefined): ChargeWarning[] {
  if (percent === undefined || comparePercents(percent, usual.percent) <= 0) return [];
  const { path, percent: most, source, period } = usual;
  const sent = plainPercent(percent);
  const amount = brl(payableCents);
  const result = brl(percentTruncated(payableCents, percent));
  if (comparePercents(percent, SUSPICIOUS_PERCENT) >= 0) {
    const meant = likelyMeant(percent, most);
    const message = `${sent} means ${sent} %${period} of ${amount}, that is ${result}${period}; for ${meant} %${period} send ${meant}`;
    return [{ path, code: 'looks_like_basis_points', message }];
  }
  const message = `${sent} %${period} is above the ${most} %${period} of legal custom${source}: ${result}${period} on ${amount}`;
  return [{ path, code: 'above_legal_custom', message }];
}

/** A hundredth, unless even that would be suspicious. */
function likelyMeant(percent: string, most: string): string {
  const hundredth = hundredthOf(percent);
  return comparePercents(hundredth, SUSPICIOUS_PERCENT) < 0 ? hundredth : most;
}

function brl(cents: bigint): string {
  return `BRL ${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}
