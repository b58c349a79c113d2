// An instalment plan as the API and its events show it. Its schema is `InstalmentPlanView` in api/; JSON leaves out what is undefined.

import type { Links } from '../../charges/links/links.ts';
import { refundView } from '../../charges/view.ts';
import { objectEvent } from '../../events/store.ts';
import type { InstalmentEvent, InstalmentPlan } from './instalment-plan.ts';
import type { ChargeRefunds } from './refund.ts';

export function instalmentPlanView(links: Links, plan: InstalmentPlan) {
  const { id, accountId, externalId, description, metadata, customerId, state, currency } = plan;
  const { amountCents, instalmentCount, paidCount, createdAt, updatedAt } = plan;
  return {
    id,
    accountId,
    externalId,
    description,
    metadata,
    customerId,
    state,
    amountCents: Number(amountCents),
    currency,
    instalmentCount,
    paidCount,
    checkoutUrl: links.instalmentsUrl(plan),
    slipsUrl: `/instalments/${id}/slips.pdf`,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** An event that carries the plan as it is now. */
export function instalmentPlanEvent(links: Links, plan: InstalmentPlan, type: InstalmentEvent, at: Date) {
  return objectEvent(plan, type, at, instalmentPlanView(links, plan));
}

export function planRefundsView(results: readonly ChargeRefunds[]) {
  return {
    charges: results.map(({ number, charge, refunds, refused }) => ({
      number,
      chargeId: charge.id,
      state: charge.state,
      refunds: refunds.map(refundView),
      refused,
    })),
  };
}
