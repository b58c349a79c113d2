// The rules for an abatement and discounts: some amount is always left, and a payer who pays earlier never pays more. Pure.
import { nextBankingDay } from '../../lib/banking-days.ts';
import { addDays, type CivilDay, civilDay, daysBetween } from '../../lib/civil-days.ts';
import type { Fault } from '../../lib/errors.ts';
import { comparePercents } from '../../lib/percents.ts';
import { afterAbatement, type Discount, discountOn, type Reductions } from '../../rails/reductions.ts';

type ReducedTerms = Reductions & { readonly amountCents: bigint; readonly dueAt: Date };

/** A discount for each banking day is counted day by day, so the due day must not be too far away. */
const MAX_DAYS = 3_650;

/** `now`: when the charge is created, or was; no payment is earlier. */
export function checkReductions(terms: ReducedTerms, now: Date): Fault[] {
  const { amountCents, abatement, discounts = [], dueAt } = terms;
  const baseCents = afterAbatement(amountCents, abatement);
  if (baseCents < 1n) {
    return [{ path: 'abatement.amountCents', code: 'too_large', message: 'must be less than the amount' }];
  }
  const dueDay = civilDay(dueAt);
  return [
    ...discounts.flatMap((discount, index) => {
      const path = `discounts[${index}]`;
      const before = discounts[index - 1];
      return [
        ...(before ? checkAgainst(before, discount, path) : []),
        ...checkDay(discount, dueDay, path),
        ...('amountCents' in discount && discount.amountCents >= baseCents
          ? [
              {
                path: `${path}.amountCents`,
                code: 'too_large',
                message: 'must be less than what is left of the amount',
              },
            ]
          : []),
      ];
    }),
    ...checkEveryDay(terms, baseCents, civilDay(now)),
  ];
}

const kindOf = (discount: Discount) => `${'percent' in discount} ${'until' in discount}`;

function checkAgainst(before: Discount, discount: Discount, path: string): Fault[] {
  if (kindOf(before) !== kindOf(discount)) {
    return [{ path, code: 'mixed_kinds', message: 'must be of the same kind as the discount before' }];
  }
  if ('perDay' in before || 'perDay' in discount) {
    return [{ path, code: 'not_together', message: 'must not come beside a discount for each day' }];
  }
  const faults: Fault[] = [];
  if (discount.until <= before.until) {
    const code = discount.until === before.until ? 'same_day' : 'not_ascending';
    faults.push({ path: `${path}.until`, code, message: 'must be later than in the discount before' });
  }
  if (!isLess(discount, before)) {
    const field = 'percent' in discount ? 'percent' : 'amountCents';
    faults.push({
      path: `${path}.${field}`,
      code: 'not_descending',
      message: 'must be less than in the discount before',
    });
  }
  return faults;
}

function isLess(discount: Discount, before: Discount): boolean {
  if ('percent' in discount) return 'percent' in before && comparePercents(discount.percent, before.percent) < 0;
  return 'amountCents' in before && discount.amountCents < before.amountCents;
}

function checkDay(discount: Discount, dueDay: CivilDay, path: string): Fault[] {
  if (!('until' in discount) || discount.until <= dueDay) return [];
  return [{ path: `${path}.until`, code: 'after_due_date', message: 'must not be after the day of dueAt' }];
}

/** A discount for each day grows with the days: something must be left for who pays on the day of the creation. */
function checkEveryDay(terms: ReducedTerms, baseCents: bigint, createdDay: CivilDay): Fault[] {
  const [discount] = terms.discounts ?? [];
  if (!discount || !('perDay' in discount)) return [];
  // A pix moves its due day, and counts to that.
  const dueDay = nextBankingDay(civilDay(terms.dueAt));
  if (daysBetween(createdDay, dueDay) > MAX_DAYS) {
    const message = `must not be after ${addDays(createdDay, MAX_DAYS)} with a discount for each day`;
    return [{ path: 'dueAt', code: 'too_late', message }];
  }
  const given = discountOn(terms, terms.amountCents, { on: createdDay, dueDay });
  if (!given || given.amountCents < baseCents) return [];
  const path = `discounts[0].${'percent' in discount ? 'percent' : 'amountCents'}`;
  const message = `must leave something of the amount when it is paid ${given.days} days early`;
  return [{ path, code: 'too_large', message }];
}

/** A discount that is over when the charge is created was a mistake. */
export function checkPastDiscounts({ discounts }: Reductions, now: Date): Fault[] {
  const fault = { code: 'in_the_past', message: 'must not be in the past' };
  return pastDiscounts(discounts, now).map(index => ({ path: `discounts[${index}].until`, ...fault }));
}

/** The positions of the discounts that are over. */
export function pastDiscounts(discounts: Reductions['discounts'] = [], now: Date): number[] {
  const today = civilDay(now);
  return discounts.flatMap((discount, index) => ('until' in discount && discount.until < today ? index : []));
}
