// The lines of what is taken off a charge on a day, each with the rule behind it. Pure.
import type { BankingDayOverrides } from '../lib/banking-days.ts';
import type { CivilDay } from '../lib/civil-days.ts';
import { plainPercent } from '../lib/percents.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Method } from '../rails/methods/methods.ts';
import { discountOn, type GivenDiscount, type Reduction, type Reductions, reductionOf } from '../rails/reductions.ts';

export const REDUCTION_RULES = [
  'abatement',
  'discount_until_day',
  'discount_per_calendar_day',
  'discount_per_banking_day',
] as const;

type ReductionQuestion = Reductions & {
  readonly method: Method;
  readonly payableCents: bigint;
  readonly dueDay: CivilDay;
  readonly effectiveDueDay: CivilDay;
  /** No payment is earlier: a discount counts no more days than from this one. */
  readonly createdDay: CivilDay;
  readonly on: CivilDay;
  readonly overrides?: BankingDayOverrides;
};

/** The abatement as a line below zero; none without an abatement. */
export function abatementLines({ method, payableCents, abatement }: ReductionQuestion) {
  if (!abatement) return [];
  const rate = rateOf(abatement);
  const source = ABILITIES[method].movesDueDay ? ' (Bacen Pix API 2.9.0, abatimento)' : '';
  const words = rate === undefined ? 'Taken off' : `${rate} % of the original amount, truncated to cents, is taken off`;
  return [
    {
      kind: 'abatement',
      amountCents: -reductionOf(payableCents, abatement),
      ...(rate !== undefined && { rate }),
      rule: 'abatement',
      explanation: `${words} on whatever day it is paid${source}.`,
    } as const,
  ];
}

/** The discount of a day as a line below zero; none where it is not given. */
export function discountLines(question: ReductionQuestion) {
  const { method, payableCents, on, createdDay, dueDay, effectiveDueDay, overrides } = question;
  const given = discountOn(question, payableCents, {
    on: on < createdDay ? createdDay : on,
    // A pix shifts its due day; a boleto may be paid later, but is due on the day in its barcode.
    dueDay: ABILITIES[method].movesDueDay ? effectiveDueDay : dueDay,
    ...(overrides && { overrides }),
  });
  if (!given) return [];
  const rate = rateOf(given.discount);
  return [
    {
      kind: 'discount',
      amountCents: -given.amountCents,
      ...(rate !== undefined && { rate }),
      ...(given.until !== undefined && { until: given.until }),
      ...(given.days !== undefined && { days: given.days }),
      ...reasonOf(given, rate, question),
    } as const,
  ];
}

function reasonOf({ discount, until, days }: GivenDiscount, rate: string | undefined, question: ReductionQuestion) {
  const { method, abatement } = question;
  const base = abatement ? 'what the abatement leaves' : 'the amount';
  const percent = rate === undefined ? '' : `${rate} % of ${base}, `;
  const cut = rate === undefined ? '' : ', truncated to cents';
  const norm = ABILITIES[method].movesDueDay ? ' (Bacen Pix API 2.9.0, desconto)' : '';
  if ('until' in discount) {
    const isMoved = discount.until !== until;
    const source = isMoved && norm === '' ? ' (Código Civil, art. 132)' : norm;
    const moved = isMoved ? `${discount.until} is not a banking day: ` : '';
    const explanation = `${moved}${percent}for paying up to and including ${until}${cut}${source}.`;
    return { rule: 'discount_until_day', explanation: capitalised(explanation) } as const;
  }
  const counted = `for each of ${days} ${discount.perDay} ${days === 1 ? 'day' : 'days'} before the due day`;
  const explanation = capitalised(`${percent}${counted}${cut}${norm}.`);
  return { rule: `discount_per_${discount.perDay}_day`, explanation } as const;
}

function rateOf(reduction: Reduction): string | undefined {
  return 'percent' in reduction ? plainPercent(reduction.percent) : undefined;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
