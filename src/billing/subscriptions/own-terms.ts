// The terms of a subscription: a copy of those of its plan, with what the caller gives instead. Pure.
import type { Method } from '../../rails/methods/methods.ts';
import type { Plan, Terms } from '../plans/plan.ts';

export type OwnTerms = {
  readonly amountCents?: bigint;
  readonly cycles?: number;
  readonly methods?: readonly Method[];
  readonly isAutomatic?: boolean;
  readonly description?: string;
};

export function termsOf(plan: Plan): Terms {
  const { amountCents, currency, interval, cycles, methods, isAutomatic, daysAhead, description } = plan;
  const { symbol, network, settlementSchedule } = plan;
  const { pastDueAfterDays, unpaidAction, unpaidAfterDays, finePercent, interestPercent } = plan;
  return {
    ...{
      amountCents,
      currency,
      interval,
      methods,
      isAutomatic,
      daysAhead,
      description,
      pastDueAfterDays,
      unpaidAction,
      unpaidAfterDays,
    },
    ...(cycles !== undefined && { cycles }),
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    ...(symbol && network && settlementSchedule && { symbol, network, settlementSchedule }),
  };
}

export function withOwnTerms<T extends Terms>(
  terms: T,
  { amountCents, cycles, methods, isAutomatic, description }: OwnTerms,
): T {
  return {
    ...terms,
    ...(amountCents !== undefined && { amountCents }),
    ...(cycles !== undefined && { cycles }),
    ...(methods && { methods }),
    ...(isAutomatic !== undefined && { isAutomatic }),
    ...(description !== undefined && { description }),
  };
}
