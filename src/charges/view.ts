// A charge as the API and its events show it, in JSON: what is undefined is not there.
import { type BoletoResult, boletoResult, type PixResult, pixResult } from './answer.ts';
import { isOf, type LivingCharge, type Payment, type Refund } from './charge.ts';
import { type TaxWarning, taxWarnings } from './lint.ts';

export type ChargeView = {
  readonly id: string;
  readonly accountId: string;
  readonly externalId: string | undefined;
  readonly sourceKey: string | undefined;
  readonly state: string;
  readonly timing: string | undefined;
  readonly paidAmount: string | undefined;
  readonly amountCents: number;
  readonly currency: string;
  readonly payable: {
    readonly amountCents: number;
    readonly currency: 'BRL';
    readonly rate: string | undefined;
    readonly rateSource: string | undefined;
    readonly rateAt: string | undefined;
  };
  readonly customer: LivingCharge['customer'];
  readonly taxes: { readonly fine: number | undefined; readonly interest: number | undefined } | undefined;
  readonly boleto: BoletoResult | undefined;
  readonly pix: PixResult | undefined;
  readonly payments: readonly PaymentView[];
  readonly refunds: readonly RefundView[];
  readonly warnings: readonly TaxWarning[];
  readonly transactionId: string | undefined;
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
  readonly cameAfter: string | undefined;
  readonly source: string;
  readonly reference: string;
};

export type RefundView = {
  readonly id: string;
  readonly paymentId: string;
  readonly amountCents: number;
  readonly status: string;
  readonly reason: string | undefined;
  readonly createdAt: string;
};

export function chargeView(charge: LivingCharge): ChargeView {
  const { lockedRate, finePercent, interestPercent } = charge;
  const boleto = charge.ways.find(isOf('boleto'));
  const pix = charge.ways.find(isOf('pix'));
  const hasTaxes = finePercent !== undefined || interestPercent !== undefined;
  return {
    id: charge.id,
    accountId: charge.accountId,
    externalId: charge.externalId,
    sourceKey: charge.sourceKey,
    state: charge.state,
    timing: charge.timing,
    paidAmount: charge.paidAmount,
    amountCents: Number(charge.amountCents),
    currency: charge.currency,
    payable: {
      amountCents: Number(charge.payableCents),
      currency: 'BRL',
      rate: lockedRate?.rate,
      rateSource: lockedRate?.source,
      rateAt: lockedRate?.at.toISOString(),
    },
    customer: customerView(charge),
    taxes: hasTaxes ? { fine: numberOf(finePercent), interest: numberOf(interestPercent) } : undefined,
    boleto: boleto && boletoResult(charge.id, boleto),
    pix: pix && pixResult(charge.id, pix),
    payments: charge.payments.map(paymentView),
    refunds: charge.refunds.map(refundView),
    warnings: taxWarnings(charge),
    transactionId: charge.transactionId,
    dueAt: charge.dueAt.toISOString(),
    expireAt: charge.expireAt.toISOString(),
    createdAt: charge.createdAt.toISOString(),
  };
}

function numberOf(percent: string | undefined): number | undefined {
  return percent === undefined ? undefined : Number(percent);
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
    cameAfter,
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
    reason,
    createdAt: createdAt.toISOString(),
  };
}
