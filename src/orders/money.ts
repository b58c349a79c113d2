// The money of an order, derived from its charge: how much was received and kept, since when, and how the charge ended.
import type { Charge, ChargeState, Payment } from '../charges/charge.ts';
import { keptCents } from '../charges/life.ts';
import { settlementTimer } from '../charges/settle.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Ending } from './order.ts';

export type Money = {
  /** The sum of all payments, and that sum minus the refunds, pending ones included. */
  readonly cameCents: bigint;
  readonly keptCents: bigint;
  /** Since when enough is paid without interruption. After a refund, the time of the payment that completed it again. */
  readonly fullyPaidAt?: Date;
  /** When enough is credited; may lie in the future, because a bank credits a boleto after its payment. */
  readonly availableAt?: Date;
  /** A refund is pending. */
  readonly isRefundPending: boolean;
  /** All payments were refunded. */
  readonly isRefunded: boolean;
  /** How the charge ended, if it ended without a payment. */
  readonly end?: Ending;
};

const ENDS: { readonly [state in ChargeState]?: Ending } = {
  EXPIRED: 'expired',
  CANCELED: 'canceled',
  FAILED: 'canceled',
};

export function moneyOf(charge: Charge, dueCents: bigint): Money {
  const { payments, refunds } = charge;
  const fullyPaidAt = fullyPaidSince(charge, dueCents, ({ paidAt }) => paidAt);
  const availableAt = fullyPaidSince(charge, dueCents, payment => creditedAt(charge, payment));
  const end = ENDS[charge.state];
  const kept = keptCents(charge);
  const isRefundPending = refunds.some(({ status }) => status === 'PENDING');
  return {
    cameCents: payments.reduce((sum, { amountCents }) => sum + amountCents, 0n),
    keptCents: kept,
    isRefundPending,
    isRefunded: payments.length > 0 && kept === 0n && !isRefundPending,
    ...(fullyPaidAt && { fullyPaidAt }),
    ...(availableAt && { availableAt }),
    ...(end && { end }),
  };
}

/** Since when the kept amount is at least `dueCents`; `countsFrom` gives the time from which a payment counts. */
function fullyPaidSince(
  { payments, refunds }: Charge,
  dueCents: bigint,
  countsFrom: (payment: Payment) => Date,
): Date | undefined {
  const moves = [
    ...payments.map(payment => ({ at: countsFrom(payment), cents: payment.amountCents })),
    ...refunds
      .filter(({ status }) => status !== 'FAILED')
      .map(({ createdAt, amountCents }) => ({ at: createdAt, cents: -amountCents })),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  let sumCents = 0n;
  let since: Date | undefined;
  for (const { at, cents } of moves) {
    sumCents += cents;
    since = sumCents >= dueCents ? (since ?? at) : undefined;
  }
  return since;
}

/** A boleto is credited on the banking day after its payment, also when it is a repeat. */
function creditedAt(charge: Charge, payment: Payment): Date {
  return ABILITIES[payment.method].isCreditedLater ? settlementTimer(charge, payment).at : payment.paidAt;
}
