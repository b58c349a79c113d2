// A subscription: a customer who is charged by a plan, cycle after cycle. Pure types; life.ts has the steps.
import type { Metadata } from '../../charges/charge.ts';
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Currency } from '../../lib/currency.ts';
import type { Terms } from '../plans/plan.ts';

export const SUBSCRIPTION_STATUSES = ['trialing', 'active', 'past_due', 'paused', 'canceled', 'completed'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** The allowed next statuses of each status. Drawn in docs/states.md. */
export const SUBSCRIPTION_TRANSITIONS = {
  trialing: ['active', 'paused', 'canceled'],
  active: ['past_due', 'paused', 'canceled', 'completed'],
  past_due: ['active', 'paused', 'canceled', 'completed'],
  paused: ['trialing', 'active', 'past_due', 'canceled', 'completed'],
  canceled: [],
  completed: [],
} as const satisfies Record<SubscriptionStatus, readonly SubscriptionStatus[]>;

export const CYCLE_STATUSES = ['waiting', 'open', 'past_due', 'paid', 'refunded', 'canceled'] as const;
export type CycleStatus = (typeof CYCLE_STATUSES)[number];

/** The same of a cycle. A late payment still counts. */
export const CYCLE_TRANSITIONS = {
  // No charge could be made in time.
  waiting: ['open', 'past_due', 'paid', 'canceled'],
  // Its charge failed, or was taken back before the cycle began: it is charged again.
  open: ['waiting', 'past_due', 'paid', 'canceled'],
  // A later due date, or the charge that could not be made before.
  past_due: ['open', 'paid', 'canceled'],
  paid: ['refunded'],
  // A payer may pay again after a refund.
  refunded: ['paid'],
  canceled: ['paid'],
} as const satisfies Record<CycleStatus, readonly CycleStatus[]>;

export const SUBSCRIPTION_EVENTS = [
  'subscription.created',
  'subscription.updated',
  'subscription.activated',
  'subscription.charged',
  'subscription.charge_failed',
  'subscription.collection_failed',
  'subscription.paid',
  'subscription.refunded',
  'subscription.ordered',
  'subscription.order_failed',
  'subscription.past_due',
  'subscription.forgiven',
  'subscription.paused',
  'subscription.resumed',
  'subscription.canceled',
  'subscription.completed',
] as const;
export type SubscriptionEvent = (typeof SUBSCRIPTION_EVENTS)[number];

/** Who or what ended it before its last cycle. */
export const CANCEL_REASONS = ['requested', 'by_payer', 'unpaid', 'customer_erased'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

export type Subscription = Terms & {
  readonly id: string;
  readonly accountId: string;
  readonly externalId?: string;
  readonly planId: string;
  readonly customerId: string;
  /** Where it buys crypto: the wallet of its orders, and who named it. They do not approve the orders. */
  readonly walletId?: string;
  readonly walletBy?: string;
  readonly status: SubscriptionStatus;
  /** The day of the week or of the month; 31 is the last day of any month. */
  readonly day: number;
  /** The day on which the trial is over. */
  readonly trialEndDay?: CivilDay;
  /** The day on which it is canceled: the first that is not paid for. */
  readonly cancelOn?: CivilDay;
  readonly cancelReason?: CancelReason;
  readonly metadata?: Metadata;
  /** A link to the payer's page of an earlier epoch is withdrawn. */
  readonly linkEpoch: number;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly pausedAt?: Date;
  readonly resumedAt?: Date;
  readonly endedAt?: Date;
};

/** One cycle: what it is charged, and whether it is paid. The one that is charged next is `waiting`. */
export type Cycle = {
  readonly subscriptionId: string;
  readonly accountId: string;
  /** From 1. */
  readonly number: number;
  /** The day that the calendar gives it; what it pays for begins then. */
  readonly day: CivilDay;
  readonly status: CycleStatus;
  /** What its charge asks for, and until when. */
  readonly amountCents?: bigint;
  readonly currency?: Currency;
  readonly dueDay?: CivilDay;
  readonly chargeId?: string;
  /** How often it could not be charged, why the last time, and when it is tried again. */
  readonly attempts: number;
  readonly reason?: string;
  readonly retryAt?: Date;
  readonly paidAt?: Date;
  /** The collection of its charge by a mandate, and why the customer has to pay the charge by its own methods. */
  readonly collectionId?: string;
  readonly fallbackReason?: string;
  /** The order that its money pays for, or why none could be made yet. */
  readonly orderId?: string;
  readonly orderReason?: string;
  /** Its charge was paid in part. Not stored: read where a step may withdraw the charge. */
  readonly hasMoney?: boolean;
};
