// A plan as the API and its events show it. Its schema is `PlanView` in api/; JSON leaves out what is undefined.
import { uuidV7 } from '../../lib/ids.ts';
import { buysCrypto, type Plan, type PlanEvent, type Terms } from './plan.ts';

/** What plans and subscriptions show alike. */
export function termsView(terms: Terms) {
  const { finePercent, interestPercent } = terms;
  const hasTaxes = finePercent !== undefined || interestPercent !== undefined;
  return {
    amountCents: Number(terms.amountCents),
    currency: terms.currency,
    interval: terms.interval,
    cycles: terms.cycles,
    methods: terms.methods,
    automatic: terms.isAutomatic ? true : undefined,
    daysAhead: terms.daysAhead,
    pastDue: {
      afterDays: terms.pastDueAfterDays,
      action: terms.unpaidAction,
      actionAfterDays: terms.unpaidAfterDays,
    },
    description: terms.description,
    taxes: hasTaxes
      ? {
          fine: finePercent === undefined ? undefined : Number(finePercent),
          interest: interestPercent === undefined ? undefined : Number(interestPercent),
        }
      : undefined,
    crypto: buysCrypto(terms)
      ? { symbol: terms.symbol, network: terms.network, settlementSchedule: terms.settlementSchedule }
      : undefined,
  };
}

export function planView(plan: Plan) {
  return {
    id: plan.id,
    accountId: plan.accountId,
    externalId: plan.externalId,
    name: plan.name,
    ...termsView(plan),
    day: plan.day,
    trialDays: plan.trialDays,
    metadata: plan.metadata,
    archived: plan.isArchived,
    createdAt: plan.createdAt.toISOString(),
    updatedAt: plan.updatedAt.toISOString(),
  };
}

/** An event that carries the plan as it is now. */
export function planEvent(plan: Plan, type: PlanEvent, at: Date) {
  return {
    id: uuidV7(at),
    accountId: plan.accountId,
    type,
    objectId: plan.id,
    sequence: plan.eventCount,
    occurredAt: at,
    object: planView(plan),
  };
}
