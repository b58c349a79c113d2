// The types of an order (a crypto transaction in the API) and its closed lists. There are exactly five statuses. A hold, an
// error and an end without fulfilment are separate fields, not statuses.
import type { Approval } from '../accounts/approvals.ts';
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

/**
 * The allowed next statuses of each status. A D0 order that is paid in time skips the schedule. Drawn in
 * docs/states.md.
 */
export const STATUS_TRANSITIONS = {
  pending_payment: ['pending_fulfillment'],
  pending_fulfillment: ['fulfillment_scheduled', 'fulfilling'],
  fulfillment_scheduled: ['fulfilling'],
  fulfilling: ['fulfilled'],
  fulfilled: [],
} as const satisfies Record<Status, readonly Status[]>;

/** How an order ends without fulfilment. It then leaves the list, but can still be read by its id. */
export const ENDINGS = ['expired', 'canceled', 'refunded'] as const;
export type Ending = (typeof ENDINGS)[number];

/** Why an order is on hold. docs/states.md explains each reason and how to resolve it. */
export const HOLD_REASONS = [
  'underpaid',
  'quote_expired',
  'refund_pending',
  'partially_refunded',
  'paid_after_end',
  'payouts_paused',
  'over_payout_limit',
  'approval_needed',
  'over_day_limit',
  'wallet_refused',
  'transfer_refused',
  'fee_too_high',
  'no_funds',
  'payout_stuck',
  'slot_taken',
  'payout_voided',
  'transfer_reverted',
  'transfer_mismatched',
  'reorganised',
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** `delivered`: what arrived counts as the whole amount. `returned`: the customer gets the money back. */
export const MISMATCH_SETTLEMENTS = ['delivered', 'returned'] as const;
export type MismatchSettlement = (typeof MISMATCH_SETTLEMENTS)[number];
/** `paid`: the chain has paid the order, but the books do not have the transfer. */
export const SETTLEMENTS = [...MISMATCH_SETTLEMENTS, 'paid'] as const;

/** The types of order events, without the prefix `crypto_transaction.` */
export const ORDER_EVENTS = [...STATUSES, ...ENDINGS, 'held', 'resumed', 'repriced'] as const;
export type OrderEvent = (typeof ORDER_EVENTS)[number];

/** The type of an event as the feed has it. */
export type OrderEventType = `crypto_transaction.${OrderEvent}`;
export const ORDER_EVENT_TYPES = ORDER_EVENTS.map(orderEventType);

export function orderEventType(event: OrderEvent): OrderEventType {
  return `crypto_transaction.${event}`;
}

/** Brazilian banking days between payment and settlement. */
export const SETTLEMENT_SCHEDULES = ['D0', 'D1', 'D2'] as const;
export type SettlementSchedule = (typeof SETTLEMENT_SCHEDULES)[number];

/** The fields of an order that the list shows. */
export type Transaction = {
  readonly id: string;
  readonly accountId: string;
  readonly status: Status;
  readonly symbol: AssetSymbol;
  readonly network: Network;
  /** Decimal text: `quantity` in the asset, `cost` in the currency, `price` in the currency for one unit of the asset. */
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

/** Crypto that is committed to an order against received money, as the ledger has recorded it. */
export type Commitment = {
  readonly id: string;
  /** Cents of reais, the fee included. */
  readonly moneyCents: bigint;
  readonly feeCents: bigint;
};

/** All fields of an order. */
export type Order = Transaction & {
  readonly externalId?: string;
  readonly chargeId?: string;
  /** The fee, included in the cost, in hundredths of the currency. */
  readonly feeCents: bigint;
  /** The source of the price and how long it is valid; absent in demo data. */
  readonly quote?: {
    readonly id?: string;
    readonly source: string;
    readonly priceAt: Date;
    readonly expiresAt: Date;
  };
  /** The amount that must be paid, in cents of reais; set together with the charge. */
  readonly dueCents?: bigint;
  readonly repricedAt?: Date;
  /** The request that took that price, so that a retry of its transaction finds its own change. */
  readonly repriceId?: string;
  /** The request that sent the order again, as above. */
  readonly retryId?: string;
  readonly hold?: { readonly reason: HoldReason; readonly at: Date };
  /** The last error, as a message for an operator. */
  readonly lastError?: string;
  /** When the order joined the line for a slot of its network. */
  readonly waitsSince?: Date;
  /** It is skipped in the line until then. */
  readonly notBefore?: Date;
  readonly ended?: { readonly as: Ending; readonly at: Date };
  readonly commitment?: Commitment;
  /** Who made the order, who took its newest price, and who approved its payout, as the audit log writes them. */
  readonly createdBy?: string;
  readonly repricedBy?: string;
  /** How an operator settled a transfer whose amount or recipient differed. */
  readonly settledAs?: MismatchSettlement;
  /** When the approvals were complete, and by whose; and all that were given, oldest first. */
  readonly approval?: Approval;
  readonly approvals?: readonly Approval[];
  readonly eventCount: number;
};

/** The filters and the page of a list request. */
export type ListQuery = PageQuery & {
  readonly accountId?: string;
  readonly symbol?: AssetSymbol;
  readonly status?: Status;
  readonly externalId?: string;
};
