// A charge as the API and its events show it. Its schema is `ChargeView` in api/; JSON leaves out what is undefined.
import { channelText } from '@trilho/cnab';
import type { CivilDay } from '../lib/civil-days.ts';
import type { Method } from '../rails/methods/methods.ts';
import type { Discount, EarlyDays, Reduction } from '../rails/reductions.ts';
import type { Charge, Payment, Refund } from './charge.ts';
import { resultsOf } from './create/answer.ts';
import { chargeWarnings } from './create/lint.ts';
import type { Links } from './links/links.ts';

export function chargeView(links: Links, charge: Charge) {
  const { lockedRate, finePercent, interestPercent } = charge;
  const hasTaxes = finePercent !== undefined || interestPercent !== undefined;
  return {
    id: charge.id,
    accountId: charge.accountId,
    externalId: charge.externalId,
    sourceKey: charge.sourceKey,
    description: charge.description,
    metadata: charge.metadata,
    state: charge.state,
    timing: charge.timing,
    paidAmount: charge.paidAmount,
    amountCents: Number(charge.amountCents),
    currency: charge.currency,
    payable: {
      amountCents: Number(charge.payableCents),
      currency: 'BRL' as const,
      rate: lockedRate?.rate,
      rateSource: lockedRate?.source,
      rateAt: lockedRate?.at.toISOString(),
    },
    customer: customerView(charge),
    customerId: charge.customerId,
    taxes: hasTaxes ? { fine: numberOf(finePercent), interest: numberOf(interestPercent) } : undefined,
    abatement: charge.abatement && reductionView(charge.abatement),
    discounts: charge.discounts?.map(discountView),
    ...resultsOf(charge, method => ({ receivedCents: receivedCents(charge, method) })),
    checkoutUrl: links.checkoutUrl(charge),
    payments: charge.payments.map(paymentView),
    refunds: charge.refunds.map(refundView),
    warnings: chargeWarnings(charge),
    transactionId: charge.orderId,
    remainderId: charge.remainder?.chargeId,
    remainderOf: charge.remainderOf,
    instalment: charge.instalment && { instalmentPlanId: charge.instalment.planId, number: charge.instalment.number },
    subscriptionId: charge.subscriptionId,
    cycle: charge.cycleNumber,
    dueChange: charge.dueChange && { ...charge.dueChange, dueAt: charge.dueChange.dueAt.toISOString() },
    dueAt: charge.dueAt.toISOString(),
    expireAt: charge.expireAt.toISOString(),
    createdAt: charge.createdAt.toISOString(),
  };
}

/** What was received by a method, once anything was. */
function receivedCents({ payments }: Charge, method: Method): number | undefined {
  const own = payments.filter(payment => payment.method === method);
  return own.length === 0 ? undefined : Number(own.reduce((sum, { amountCents }) => sum + amountCents, 0n));
}

function reductionView(reduction: Reduction): { readonly amountCents?: number; readonly percent?: number } {
  if ('percent' in reduction) return { percent: Number(reduction.percent) };
  return { amountCents: Number(reduction.amountCents) };
}

function discountView(discount: Discount) {
  const days: { readonly until?: CivilDay; readonly perDay?: EarlyDays } =
    'until' in discount ? { until: discount.until } : { perDay: discount.perDay };
  return { ...reductionView(discount), ...days };
}

function numberOf(percent: string | undefined): number | undefined {
  return percent === undefined ? undefined : Number(percent);
}

/** The database keeps the keys of an object in its own order. */
function customerView({ customer: { name, document, type, address, email, phone } }: Charge) {
  return { name, document, type, ...(address && { address }), email, phone };
}

function paymentView({ amountCents, paidAt, cameAfter, ...payment }: Payment) {
  const { id, method, timing, isRepeat, source, reference, feeCents, creditDay, channel } = payment;
  const { discountCents, abatementCents } = payment;
  return {
    id,
    method,
    amountCents: Number(amountCents),
    paidAt: paidAt.toISOString(),
    timing,
    isRepeat,
    cameAfter,
    source,
    reference,
    feeCents: centsOf(feeCents),
    discountCents: centsOf(discountCents),
    abatementCents: centsOf(abatementCents),
    creditDay,
    channel: channel === undefined ? undefined : { code: channel, words: channelText(channel) },
  };
}

function centsOf(cents: bigint | undefined): number | undefined {
  return cents === undefined ? undefined : Number(cents);
}

export function refundView({ id, kind, paymentId, amountCents, status, reason, disputeId, createdAt }: Refund) {
  return {
    id,
    kind,
    paymentId,
    amountCents: Number(amountCents),
    status,
    reason,
    disputeId,
    createdAt: createdAt.toISOString(),
  };
}
