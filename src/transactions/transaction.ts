// A crypto transaction: its words and states. The set of statuses is closed: a sixth never appears in the list.
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

/** Brazilian banking days between payment and settlement. */
export const SETTLEMENT_SCHEDULES = ['D0', 'D1', 'D2'] as const;
export type SettlementSchedule = (typeof SETTLEMENT_SCHEDULES)[number];

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

/** What a reader of the list asks for. */
export type ListQuery = PageQuery & { readonly symbol?: AssetSymbol; readonly status?: Status };
