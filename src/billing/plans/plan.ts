// A plan: what subscriptions of it are charged, how often, and what happens when a charge stays unpaid. Pure.
import type { AssetSymbol, Network } from '../../chains/asset.ts';
import type { Metadata } from '../../charges/charge.ts';
import type { Currency } from '../../lib/currency.ts';
import type { SettlementSchedule } from '../../orders/order.ts';
import type { Method } from '../../rails/methods/methods.ts';
import type { Interval } from './cycle-days.ts';

export const PLAN_EVENTS = ['plan.created', 'plan.updated'] as const;
export type PlanEvent = (typeof PLAN_EVENTS)[number];

/** What happens to a subscription that stays past due. */
export const UNPAID_ACTIONS = ['keep', 'pause', 'cancel'] as const;
type UnpaidAction = (typeof UNPAID_ACTIONS)[number];

/** What a plan gives its subscriptions, each of which keeps a copy of its own. */
export type Terms = {
  readonly amountCents: bigint;
  readonly currency: Currency;
  readonly interval: Interval;
  /** How many cycles there are; without an end when absent. */
  readonly cycles?: number;
  readonly methods: readonly Method[];
  /** Its charges are collected by a mandate of the customer, where there is one. */
  readonly isAutomatic: boolean;
  /** How many days before its day a cycle is charged. */
  readonly daysAhead: number;
  /** How many days after the due day of an unpaid charge the subscription is past due. */
  readonly pastDueAfterDays: number;
  readonly unpaidAction: UnpaidAction;
  /** How many days after that due day the action is taken. */
  readonly unpaidAfterDays: number;
  /** What the payer reads on each charge. */
  readonly description: string;
  /** Percents as decimal text, as charges have them. */
  readonly finePercent?: string;
  readonly interestPercent?: string;
  /** What each cycle buys once it is paid, where it buys crypto: all three, or absent. */
  readonly symbol?: AssetSymbol;
  readonly network?: Network;
  readonly settlementSchedule?: SettlementSchedule;
};

/** The terms of one that buys crypto. */
type Buying = Required<Pick<Terms, 'symbol' | 'network' | 'settlementSchedule'>>;

export function buysCrypto<T extends Terms>(terms: T): terms is T & Buying {
  return terms.symbol !== undefined;
}

export type Plan = Terms & {
  readonly id: string;
  readonly accountId: string;
  readonly externalId?: string;
  readonly name: string;
  /** The day of the week or of the month; when absent, that of the first cycle of each subscription. */
  readonly day?: number;
  readonly trialDays: number;
  readonly metadata?: Metadata;
  /** It takes no new subscriptions; those that it has go on. */
  readonly isArchived: boolean;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type NewPlan = Omit<Plan, 'id' | 'isArchived' | 'eventCount' | 'createdAt' | 'updatedAt'>;
