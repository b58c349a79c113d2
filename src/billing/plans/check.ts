// The rules for the terms of plans and subscriptions that go beyond the form of single fields.
import type { Chains } from '../../chains/chain.ts';
import type { Fault } from '../../lib/errors.ts';
import { checkNetwork } from '../../quotes/check.ts';
import { type Interval, isOfWeeks, LAST_WEEKDAY } from './cycle-days.ts';
import type { Terms } from './plan.ts';

export function checkDay(interval: Interval, day: number | undefined): Fault[] {
  if (day === undefined || !isOfWeeks(interval) || day <= LAST_WEEKDAY) return [];
  const message = `must be from 1 (Monday) to 7 (Sunday), as the interval is ${interval}`;
  return [{ path: 'day', code: 'not_a_weekday', message }];
}

type PastDue = Pick<Terms, 'pastDueAfterDays' | 'unpaidAfterDays'>;

export function checkPastDue({ pastDueAfterDays, unpaidAfterDays }: PastDue): Fault[] {
  if (unpaidAfterDays >= pastDueAfterDays) return [];
  const message = 'must not be less than pastDue.afterDays';
  return [{ path: 'pastDue.actionAfterDays', code: 'before_past_due', message }];
}

/** A PSP takes a collection until two days before its due day, and the charge is made within the first of these days. */
const MIN_DAYS_TO_COLLECT = 3;

export function checkAutomatic({
  isAutomatic,
  methods,
  daysAhead,
}: Pick<Terms, 'isAutomatic' | 'methods' | 'daysAhead'>): Fault[] {
  if (!isAutomatic) return [];
  const faults: Fault[] = [];
  if (!methods.includes('pix')) {
    faults.push({ path: 'methods', code: 'no_pix', message: 'must have pix, as automatic is true' });
  }
  if (daysAhead < MIN_DAYS_TO_COLLECT) {
    const message = `must be at least ${MIN_DAYS_TO_COLLECT}, as automatic is true`;
    faults.push({ path: 'daysAhead', code: 'too_late_to_collect', message });
  }
  return faults;
}

/** What orders refuse too; crypto is bought with reais, because the rate of another currency is locked days before the payment. */
export function checkBuying(
  chains: Chains,
  { symbol, network, currency }: Pick<Terms, 'symbol' | 'network' | 'currency'>,
): Fault[] {
  if (!symbol || !network) return [];
  const faults = checkNetwork(symbol, network).map(fault => ({ ...fault, path: `crypto.${fault.path}` }));
  if (faults.length === 0 && !chains[network]) {
    faults.push({ path: 'crypto.network', code: 'no_chain', message: 'is not connected to this service' });
  }
  if (currency !== 'BRL') {
    faults.push({ path: 'currency', code: 'not_reais', message: 'must be BRL, as the plan buys crypto' });
  }
  return faults;
}
