// A charge as the database stores it, with its methods, payments and refunds, and how it is read.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Currency } from '../../lib/currency.ts';
import type { MethodStatus } from '../../rails/methods/method.ts';
import type { Instruments, Method } from '../../rails/methods/methods.ts';
import type { Location } from '../../rails/rail.ts';
import type { Row } from '../../storage/database.ts';
import type {
  CameAfter,
  Charge,
  ChargeMethod,
  ChargeState,
  Customer,
  DueChange,
  Metadata,
  PaidAmount,
  Payment,
  Refund,
  Timing,
} from '../charge.ts';
import { fromStored, type StoredDiscount, type StoredReduction } from './reductions.ts';

/** The select list of a `ChargeRow`: columns of `charges c` and subqueries of other tables. */
export const CHARGE_COLUMNS = `
         c.id, c.account_id, c.external_id, c.source_key, c.description, c.metadata, c.amount_cents, c.currency,
         c.payable_cents, trim_scale(c.rate) as rate, c.rate_source, c.rate_at, c.customer,
         trim_scale(c.fine_percent) as fine_percent, trim_scale(c.interest_percent) as interest_percent, c.abatement, c.discounts,
         c.due_at, c.expire_at, c.pix_ends_at, c.created_at, c.state, c.timing, c.paid_amount, c.owed_cents, c.event_count,
         c.order_id, c.customer_id, c.subscription_id, c.cycle_number, c.is_for_crypto, c.committed_cents, c.is_paid_in_part, c.is_collected, c.remainder_of, c.remainder_id, c.remainder_cents,
         c.is_remainder_paid, c.instalment_plan_id, c.instalment_number, c.rests_cents, c.rests_returned_cents, c.link_epoch, c.asked_due_at, c.due_change_status, c.due_change_reason,
         (select json_agg(json_build_object('method', m.method, 'rail', m.rail, 'status', m.status,
                                            'reference', m.reference, 'instrument', m.instrument, 'location', m.location,
                                            'bankId', m.bank_id, 'reason', m.reason,
                                            'sentAt', iso_utc(coalesce(m.resent_at, m.submitted_at)),
                                            'isSentAgain', m.resent_at is not null) order by m.method)
            from charge_methods m
           where m.charge_id = c.id and m.account_id = c.account_id) as methods,
         (select json_agg(json_build_object('id', p.id, 'method', p.method, 'amountCents', p.amount_cents::text,
                                            'paidAt', iso_utc(p.paid_at), 'source', p.source, 'reference', p.reference,
                                            'timing', p.timing, 'isRepeat', p.is_repeat, 'cameAfter', p.came_after,
                                            'payerDocument', p.payer_document, 'feeCents', p.fee_cents::text,
                                            'discountCents', p.discount_cents::text,
                                            'abatementCents', p.abatement_cents::text,
                                            'creditDay', p.credit_day, 'channel', p.channel, 'isByPix', p.is_by_pix,
                                            'alsoReportedAs', p.also_reported_as)
                          order by p.recorded_at, p.is_repeat, p.id)
            from payments p
           where p.charge_id = c.id and p.account_id = c.account_id) as payments,
         (select json_agg(json_build_object('id', r.id, 'kind', r.kind, 'paymentId', r.payment_id,
                                            'amountCents', r.amount_cents::text, 'status', r.status, 'reason', r.reason,
                                            'reference', r.reference, 'createdAt', iso_utc(r.created_at),
                                            'disputeId', d.id,
                                            'isUnconfirmed', d.closed_by is not null and d.confirmed_at is null)
                          order by r.id)
            from refunds r left join disputes d on d.refund_id = r.id and d.account_id = r.account_id
           where r.charge_id = c.id and r.account_id = c.account_id) as refunds`;

export type ChargeRow = Row & {
  id: string;
  account_id: string;
  external_id: string | null;
  source_key: string | null;
  description: string | null;
  metadata: Metadata | null;
  amount_cents: string;
  currency: Currency;
  payable_cents: string;
  rate: string | null;
  rate_source: string | null;
  rate_at: Date | null;
  customer: Customer;
  fine_percent: string | null;
  interest_percent: string | null;
  abatement: StoredReduction | null;
  discounts: StoredDiscount[] | null;
  due_at: Date;
  expire_at: Date;
  pix_ends_at: Date | null;
  created_at: Date;
  state: ChargeState;
  timing: Timing | null;
  paid_amount: PaidAmount | null;
  owed_cents: string | null;
  event_count: number;
  order_id: string | null;
  customer_id: string | null;
  subscription_id: string | null;
  cycle_number: number | null;
  committed_cents: string;
  is_paid_in_part: boolean;
  is_collected: boolean;
  is_for_crypto: boolean;
  remainder_of: string | null;
  instalment_plan_id: string | null;
  instalment_number: number | null;
  remainder_id: string | null;
  remainder_cents: string | null;
  is_remainder_paid: boolean;
  rests_cents: string;
  rests_returned_cents: string;
  link_epoch: number;
  asked_due_at: Date | null;
  due_change_status: DueChange['status'] | null;
  due_change_reason: string | null;
  methods: MethodRow[] | null;
  payments: PaymentRow[] | null;
  refunds: RefundRow[] | null;
};

type MethodRow = {
  method: Method;
  rail: string;
  status: MethodStatus;
  reference: string | null;
  instrument: Instruments[Method] | null;
  location: Location | null;
  bankId: string | null;
  reason: string | null;
  sentAt: string | null;
  isSentAgain: boolean;
};
type OptionalOfPayment =
  | 'cameAfter'
  | 'payerDocument'
  | 'feeCents'
  | 'discountCents'
  | 'abatementCents'
  | 'creditDay'
  | 'channel'
  | 'isByPix'
  | 'alsoReportedAs';
type PaymentRow = Omit<Payment, 'amountCents' | 'paidAt' | OptionalOfPayment> & {
  amountCents: string;
  paidAt: string;
  cameAfter: CameAfter | null;
  payerDocument: string | null;
  feeCents: string | null;
  discountCents: string | null;
  abatementCents: string | null;
  creditDay: CivilDay | null;
  channel: string | null;
  isByPix: boolean;
  alsoReportedAs: string | null;
};
type RefundRow = Omit<Refund, 'amountCents' | 'createdAt' | 'reason' | 'reference' | 'disputeId' | 'isUnconfirmed'> & {
  amountCents: string;
  createdAt: string;
  reason: string | null;
  reference: string | null;
  disputeId: string | null;
  isUnconfirmed: boolean;
};

export function toCharge(row: ChargeRow): Charge {
  return {
    id: row.id,
    accountId: row.account_id,
    amountCents: BigInt(row.amount_cents),
    currency: row.currency,
    payableCents: BigInt(row.payable_cents),
    customer: row.customer,
    dueAt: row.due_at,
    expireAt: row.expire_at,
    createdAt: row.created_at,
    state: row.state,
    eventCount: row.event_count,
    committedCents: BigInt(row.committed_cents),
    linkEpoch: row.link_epoch,
    methods: (row.methods ?? []).map(toMethod),
    payments: (row.payments ?? []).map(toPayment),
    refunds: (row.refunds ?? []).map(toRefund),
    ...(row.timing !== null && { timing: row.timing }),
    ...(row.paid_amount !== null && { paidAmount: row.paid_amount }),
    ...(row.owed_cents !== null && { owedCents: BigInt(row.owed_cents) }),
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...(row.source_key !== null && { sourceKey: row.source_key }),
    ...(row.description !== null && { description: row.description }),
    ...(row.metadata !== null && { metadata: row.metadata }),
    ...dueChangeIn(row),
    ...(row.pix_ends_at !== null && { pixEndsAt: row.pix_ends_at }),
    ...(row.order_id !== null && { orderId: row.order_id }),
    ...(row.customer_id !== null && { customerId: row.customer_id }),
    ...(row.is_paid_in_part && { isPaidInPart: true }),
    ...(row.is_collected && { isCollected: true }),
    ...(row.is_for_crypto && { isForCrypto: true }),
    ...(row.remainder_of !== null && { remainderOf: row.remainder_of }),
    ...(row.subscription_id !== null && { subscriptionId: row.subscription_id }),
    ...(row.cycle_number !== null && { cycleNumber: row.cycle_number }),
    ...remainderIn(row),
    ...instalmentIn(row),
    ...restsIn(row),
    ...(row.fine_percent !== null && { finePercent: row.fine_percent }),
    ...(row.interest_percent !== null && { interestPercent: row.interest_percent }),
    ...(row.abatement !== null && { abatement: fromStored(row.abatement) }),
    ...(row.discounts !== null && { discounts: row.discounts.map(one => fromStored(one)) }),
    ...(row.rate !== null &&
      row.rate_source !== null &&
      row.rate_at !== null && { lockedRate: { rate: row.rate, source: row.rate_source, at: row.rate_at } }),
  };
}

function dueChangeIn({ asked_due_at: dueAt, due_change_status: status, due_change_reason: reason }: ChargeRow) {
  if (dueAt === null || status === null) return {};
  return { dueChange: { dueAt, status, ...(reason !== null && { reason }) } };
}

function restsIn({ rests_cents: brought, rests_returned_cents: returned }: ChargeRow) {
  return brought === '0' ? {} : { rests: { broughtCents: BigInt(brought), returnedCents: BigInt(returned) } };
}

function remainderIn({ remainder_id: chargeId, remainder_cents: cents, is_remainder_paid: isPaid }: ChargeRow) {
  return chargeId === null || cents === null ? {} : { remainder: { chargeId, amountCents: BigInt(cents), isPaid } };
}

function instalmentIn({ instalment_plan_id: planId, instalment_number: number }: ChargeRow) {
  return planId === null || number === null ? {} : { instalment: { planId, number } };
}

function toMethod(row: MethodRow): ChargeMethod {
  const { method, rail, status, reference, instrument, location, bankId, reason, sentAt, isSentAgain } = row;
  return {
    method,
    rail,
    status,
    ...(reference !== null && { reference }),
    ...(instrument && { instrument }),
    ...(location && { location }),
    ...(bankId !== null && { bankId }),
    ...(sentAt !== null && { sentAt: new Date(sentAt) }),
    ...(isSentAgain && { isSentAgain }),
    ...(reason !== null && { reason }),
  };
}

function toPayment(paymentRow: PaymentRow): Payment {
  const { cameAfter, payerDocument, feeCents, creditDay, channel, isByPix, alsoReportedAs, ...rest } = paymentRow;
  const { discountCents, abatementCents, ...row } = rest;
  return {
    ...row,
    amountCents: BigInt(row.amountCents),
    paidAt: new Date(row.paidAt),
    ...(cameAfter !== null && { cameAfter }),
    ...(payerDocument !== null && { payerDocument }),
    ...(feeCents !== null && { feeCents: BigInt(feeCents) }),
    ...(discountCents !== null && { discountCents: BigInt(discountCents) }),
    ...(abatementCents !== null && { abatementCents: BigInt(abatementCents) }),
    ...(creditDay !== null && { creditDay }),
    ...(channel !== null && { channel }),
    ...(isByPix && { isByPix }),
    ...(alsoReportedAs !== null && { alsoReportedAs }),
  };
}

function toRefund({ reason, reference, disputeId, isUnconfirmed, ...row }: RefundRow): Refund {
  return {
    ...row,
    amountCents: BigInt(row.amountCents),
    createdAt: new Date(row.createdAt),
    ...(reason !== null && { reason }),
    ...(reference !== null && { reference }),
    ...(disputeId !== null && { disputeId }),
    ...(isUnconfirmed && { isUnconfirmed }),
  };
}
