// The rules for the terms of plans and subscriptions that go beyond the form of single fields.
import { isDeepStrictEqual } from 'node:util';
import type { Chains } from '../../chains/chain.ts';
import type { Fault } from '../../lib/errors.ts';
import { checkNetwork } from '../../quotes/check.ts';
import type { Rail } from '../../rails/rail.ts';
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

type Collectable = Pick<Terms, 'isAutomatic' | 'methods' | 'daysAhead'>;

/** Of the account's rail for pix. Terms that are as they were `before` stay accepted, also when its window has changed. */
export function checkAutomatic(
  terms: Collectable,
  { automatic }: Pick<Rail, 'automatic'>,
  before?: Collectable,
): Fault[] {
  const { isAutomatic, methods, daysAhead } = terms;
  if (!isAutomatic || (before && isSame(terms, before))) return [];
  // Where no PSP collects, each cycle falls back: then only what no PSP could take is refused, a charge of the due day itself.
  const latestDays = automatic?.window.latestDays ?? 0;
  // The charge is made in the course of its day, so that day is before the last on which the PSP takes a collection.
  const leastDays = latestDays + 1;
  const faults: Fault[] = [];
  if (!methods.includes('pix')) {
    faults.push({ path: 'methods', code: 'no_pix', message: 'must have pix, as automatic is true' });
  }
  if (daysAhead < leastDays) {
    const message = `must be at least ${leastDays}, as automatic is true`;
    faults.push({ path: 'daysAhead', code: 'too_late_to_collect', message });
  }
  return faults;
}

function isSame(terms: Collectable, before: Collectable): boolean {
  const { isAutomatic, daysAhead, methods } = before;
  return (
    terms.isAutomatic === isAutomatic && terms.daysAhead === daysAhead && isDeepStrictEqual(terms.methods, methods)
  );
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
