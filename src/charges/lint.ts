// Warnings about a charge that is valid and yet looks like a mistake. They never refuse: what was asked is what is charged.
import { comparePercents, hundredthOf, percentTruncated, plainPercent } from '../lib/percents.ts';

export type TaxWarning = {
  readonly path: 'taxes.fine' | 'taxes.interest';
  readonly code: 'above_legal_custom' | 'looks_like_basis_points';
  readonly message: string;
};

type Taxes = { readonly payableCents: bigint; readonly finePercent?: string; readonly interestPercent?: string };

type Custom = {
  readonly path: TaxWarning['path'];
  /** The most that is customary, in percent. */
  readonly most: string;
  readonly source: string;
  /** How the percent is said: "2 %" or "1 % a month". */
  readonly period: string;
};

const FINE: Custom = { path: 'taxes.fine', most: '2', source: ' (Lei 8.078/1990, art. 52)', period: '' };
const INTEREST: Custom = { path: 'taxes.interest', most: '1', source: '', period: ' a month' };

/** Nobody asks for a fifth on purpose: from here on it was most likely written in basis points or in cents. */
const SUSPICIOUS_PERCENT = '20';

/** What is unusual about the fine and the interest of a charge, with what each means for its amount in reais. */
export function taxWarnings({ payableCents, finePercent, interestPercent }: Taxes): TaxWarning[] {
  return [...warn(FINE, payableCents, finePercent), ...warn(INTEREST, payableCents, interestPercent)];
}

function warn(custom: Custom, payableCents: bigint, percent: string | undefined): TaxWarning[] {
  if (percent === undefined || comparePercents(percent, custom.most) <= 0) return [];
  const { path, most, source, period } = custom;
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
