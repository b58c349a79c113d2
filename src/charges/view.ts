// A charge as the API and its events show it.
import { type BoletoResult, boletoResult, type PixResult, pixResult } from './answer.ts';
import { isOf, type LivingCharge, type Payment, type Refund } from './charge.ts';
import { type TaxWarning, taxWarnings } from './lint.ts';

export type ChargeView = {
  readonly id: string;
  readonly accountId: string;
  readonly externalId?: string;
  readonly sourceKey?: string;
  readonly state: string;
  readonly timing?: string;
  readonly paidAmount?: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly payable: {
    readonly amountCents: number;
    readonly currency: 'BRL';
    readonly rate?: string;
    readonly rateSource?: string;
    readonly rateAt?: string;
  };
  readonly customer: LivingCharge['customer'];
  readonly taxes?: { readonly fine?: number; readonly interest?: number };
  readonly boleto?: BoletoResult;
  readonly pix?: PixResult;
  readonly payments: readonly PaymentView[];
  readonly refunds: readonly RefundView[];
  readonly warnings: readonly TaxWarning[];
  readonly transactionId?: string;
  readonly dueAt: string;
  readonly expireAt: string;
  readonly createdAt: string;
};

export type PaymentView = {
  readonly id: string;
  readonly method: string;
  readonly amountCents: number;
  readonly paidAt: string;
  readonly timing: string;
  readonly isRepeat: boolean;
  readonly cameAfter?: string;
  readonly source: string;
  readonly reference: string;
};

export type RefundView = {
  readonly id: string;
  readonly paymentId: string;
  readonly amountCents: number;
  readonly status: string;
  readonly reason?: string;
  readonly createdAt: string;
};

export function chargeView(charge: LivingCharge): ChargeView {
  const { lockedRate, finePercent, interestPercent, externalId, sourceKey, timing, paidAmount } = charge;
  const boleto = charge.ways.find(isOf('boleto'));
  const pix = charge.ways.find(isOf('pix'));
  return {
    id: charge.id,
    accountId: charge.accountId,
    ...(externalId !== undefined && { externalId }),
    ...(sourceKey !== undefined && { sourceKey }),
    state: charge.state,
    ...(timing !== undefined && { timing }),
    ...(paidAmount !== undefined && { paidAmount }),
    amountCents: Number(charge.amountCents),
    currency: charge.currency,
    payable: {
      amountCents: Number(charge.payableCents),
      currency: 'BRL',
      ...(lockedRate && { rate: lockedRate.rate, rateSource: lockedRate.source, rateAt: lockedRate.at.toISOString() }),
    },
    customer: customerView(charge),
    ...((finePercent !== undefined || interestPercent !== undefined) && {
      taxes: {
        ...(finePercent !== undefined && { fine: Number(finePercent) }),
        ...(interestPercent !== undefined && { interest: Number(interestPercent) }),
      },
    }),
    ...(boleto && { boleto: boletoResult(charge.id, boleto) }),
    ...(pix && { pix: pixResult(charge.id, pix) }),
    payments: charge.payments.map(paymentView),
    refunds: charge.refunds.map(refundView),
    warnings: taxWarnings(charge),
    ...(charge.transactionId !== undefined && { transactionId: charge.transactionId }),
    dueAt: charge.dueAt.toISOString(),
    expireAt: charge.expireAt.toISOString(),
    createdAt: charge.createdAt.toISOString(),
  };
}

/** The database keeps the keys of an object in an order of its own. */
function customerView({ customer: { name, document, type, address } }: LivingCharge): LivingCharge['customer'] {
  return { name, document, type, ...(address && { address }) };
}

export function paymentView({ amountCents, paidAt, cameAfter, ...payment }: Payment): PaymentView {
  const { id, method, timing, isRepeat, source, reference } = payment;
  return {
    id,
    method,
    amountCents: Number(amountCents),
    paidAt: paidAt.toISOString(),
    timing,
    isRepeat,
    ...(cameAfter !== undefined && { cameAfter }),
    source,
    reference,
  };
}

export function refundView({ id, paymentId, amountCents, status, reason, createdAt }: Refund): RefundView {
  return {
    id,
    paymentId,
    amountCents: Number(amountCents),
    status,
    ...(reason !== undefined && { reason }),
    createdAt: createdAt.toISOString(),
  };
}
