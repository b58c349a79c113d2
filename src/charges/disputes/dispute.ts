// A dispute: money of a payment that the payer's bank has asked for, and what became of it. Pure.
import { DAY_MS } from '../../lib/civil-days.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { DisputeCause } from '../../rails/rail.ts';

export const DISPUTE_STATUSES = ['open', 'won', 'lost', 'accepted'] as const;
export type DisputeStatus = (typeof DISPUTE_STATUSES)[number];

/** How a dispute ends: the money stays, goes back, or goes back by decision of the account. */
export const DISPUTE_OUTCOMES = ['won', 'lost', 'accepted'] as const satisfies readonly DisputeStatus[];
export type DisputeOutcome = (typeof DISPUTE_OUTCOMES)[number];

/** An end that a person recorded changes only if the bank reports another one. Drawn in docs/states.md. */
export const DISPUTE_TRANSITIONS = {
  open: ['won', 'lost', 'accepted'],
  won: ['lost'],
  lost: ['won'],
  accepted: ['won'],
} as const satisfies Record<DisputeStatus, readonly DisputeStatus[]>;

export const DISPUTE_EVENTS = ['dispute.opened', 'dispute.updated', 'dispute.closed'] as const;
export type DisputeEvent = (typeof DISPUTE_EVENTS)[number];

export type Dispute = {
  readonly id: string;
  readonly accountId: string;
  readonly chargeId: string;
  readonly paymentId: string;
  /** The return, which is an entry of the refunds of the charge. */
  readonly refundId: string;
  readonly rail: string;
  /** The bank's ids of the payment and of the return. */
  readonly paymentReference: string;
  readonly returnReference: string;
  readonly cause: DisputeCause;
  readonly bankCode: string;
  readonly amountCents: bigint;
  readonly status: DisputeStatus;
  /** Until when the bank blocks the money, as estimated or as a person has recorded; absent when unknown. */
  readonly blockedUntil?: Date;
  readonly isUntilEstimated: boolean;
  readonly note?: string;
  readonly closedAt?: Date;
  /** Who recorded the end; absent when the bank reported it. */
  readonly closedBy?: string;
  readonly reason?: string;
  /** When the bank reported the end that is recorded. */
  readonly confirmedAt?: Date;
  readonly eventCount: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** An end that a person records. */
export type RecordedEnd = { readonly outcome: DisputeOutcome; readonly by: string; readonly reason?: string };

export type DisputeQuery = PageQuery & {
  readonly accountId?: string;
  readonly status?: DisputeStatus;
  readonly chargeId?: string;
};

/** Until when the money is probably blocked; undefined without an estimate. */
export function estimatedUntil(openedAt: Date, days: number): Date | undefined {
  return days === 0 ? undefined : new Date(openedAt.getTime() + days * DAY_MS);
}

export function isLate({ status, blockedUntil }: Pick<Dispute, 'status' | 'blockedUntil'>, now: Date): boolean {
  return status === 'open' && blockedUntil !== undefined && blockedUntil < now;
}
