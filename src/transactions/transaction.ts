// A crypto transaction: its words and states. The set of statuses is closed: a sixth never appears in the list. What goes
// wrong on the way, and an end without fulfilment, stand beside the status.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import type { PageQuery } from '../lib/paging.ts';

export const STATUSES = [
  'pending_payment',
  'pending_fulfillment',
  'fulfillment_scheduled',
  'fulfilling',
  'fulfilled',
] as const;
export type Status = (typeof STATUSES)[number];

/** Where each status may lead. D0 paid in time skips the schedule. Drawn in docs/states.md. */
export const STATUS_TRANSITIONS = {
  pending_payment: ['pending_fulfillment'],
  pending_fulfillment: ['fulfillment_scheduled', 'fulfilling'],
  fulfillment_scheduled: ['fulfilling'],
  fulfilling: ['fulfilled'],
  fulfilled: [],
} as const satisfies Record<Status, readonly Status[]>;

/** How an order ends that is not fulfilled: it leaves the list and is read at its own address. */
export const ENDINGS = ['expired', 'canceled', 'refunded'] as const;
export type Ending = (typeof ENDINGS)[number];

/** Why an order rests. Each is explained, with the way out of it, in docs/states.md. */
export const HOLD_REASONS = [
  'underpaid',
  'quote_expired',
  'refund_pending',
  'partially_refunded',
  'paid_after_end',
  'transfer_reverted',
  'reorganised',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** What a step is announced as, after `crypto_transaction.` */
export const ORDER_EVENTS = [...STATUSES, ...ENDINGS, 'held', 'resumed', 'repriced'] as const;
export type OrderEvent = (typeof ORDER_EVENTS)[number];

/** Brazilian banking days between payment and settlement. */
export const SETTLEMENT_SCHEDULES = ['D0', 'D1', 'D2'] as const;
export type SettlementSchedule = (typeof SETTLEMENT_SCHEDULES)[number];

/** What the list shows. */
export type Transaction = {
  readonly id: string;
  readonly accountId: string;
  readonly status: Status;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  /** Decimal text: units of the asset, units of the currency, currency for one unit. */
  readonly quantity: string;
  readonly cost: string;
  readonly price: string;
  readonly currency: Currency;
  readonly walletId: string;
  readonly walletAddress: string;
  readonly walletName: string;
  readonly settlementSchedule: SettlementSchedule;
  readonly settlementDate: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** Crypto that is promised for money that came: what the ledger was told. */
export type Commitment = {
  readonly id: string;
  /** Cents of reais, the fee included. */
  readonly moneyCents: bigint;
  readonly feeCents: bigint;
};

/** A transaction with all that an order is beyond its line in the list. */
export type Order = Transaction & {
  readonly externalId?: string;
  readonly chargeId?: string;
  /** Part of the cost, in hundredths of the currency. */
  readonly feeCents: bigint;
  /** Where the price comes from and until when it holds; demo data has none. */
  readonly quote?: {
    readonly id?: string;
    readonly source: string;
    readonly priceAt: Date;
    readonly expiresAt: Date;
  };
  /** What must have come, in cents of reais, once there is a charge. */
  readonly dueCents?: bigint;
  readonly repricedAt?: Date;
  readonly hold?: { readonly reason: HoldReason; readonly at: Date };
  /** What went wrong last, in words for an operator. */
  readonly lastError?: string;
  readonly ended?: { readonly as: Ending; readonly at: Date };
  readonly commitment?: Commitment;
  readonly eventCount: number;
};

/** What a reader of the list asks for. */
export type ListQuery = PageQuery & {
  readonly accountId?: string;
  readonly symbol?: AssetSymbol;
  readonly status?: Status;
};
