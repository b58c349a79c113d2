// What an order sees of its charge: how much came and stayed, since when, and whether more can come.
import type { ChargeState, LivingCharge, Payment } from '../charges/charge.ts';
import { keptCents } from '../charges/life.ts';
import { settlementTimer } from '../charges/settle.ts';
import type { Ending } from './transaction.ts';

export type Money = {
  /** All that ever came, and what of it was not promised back. */
  readonly cameCents: bigint;
  readonly keptCents: bigint;
  /** Since when enough is there without a break: money that went back and came again is as late as it came again. */
  readonly completeAt?: Date;
  /** From when enough is at hand, which may be to come: a boleto is when its bank has credited it. */
  readonly atHandAt?: Date;
  /** Money is on its way back. */
  readonly isRefundPending: boolean;
  /** Something came, and all of it went back. */
  readonly isRefunded: boolean;
  /** How the charge ended, when it ended without money. */
  readonly end?: Ending;
};

const ENDS: { readonly [state in ChargeState]?: Ending } = {
  EXPIRED: 'expired',
  CANCELED: 'canceled',
  FAILED: 'canceled',
};

export function moneyOf(charge: LivingCharge, dueCents: bigint): Money {
  const { payments, refunds } = charge;
  const completeAt = sinceEnough(charge, dueCents, ({ paidAt }) => paidAt);
  const atHandAt = sinceEnough(charge, dueCents, payment => creditedAt(charge, payment));
  const end = ENDS[charge.state];
  const kept = keptCents(charge);
  const isRefundPending = refunds.some(({ status }) => status === 'PENDING');
  return {
    cameCents: payments.reduce((sum, { amountCents }) => sum + amountCents, 0n),
    keptCents: kept,
    isRefundPending,
    isRefunded: payments.length > 0 && kept === 0n && !isRefundPending,
    ...(completeAt && { completeAt }),
    ...(atHandAt && { atHandAt }),
    ...(end && { end }),
  };
}

/** Since when what came and stayed is enough, each payment counted from a moment of its own. */
function sinceEnough(
  { payments, refunds }: LivingCharge,
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

/** A boleto is credited on the banking day after it was paid, whether or not it is what paid the charge. */
function creditedAt(charge: LivingCharge, payment: Payment): Date {
  return payment.method === 'boleto' ? settlementTimer(charge, payment).at : payment.paidAt;
}
