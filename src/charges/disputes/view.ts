// A dispute as the API and its events show it. Its schema is `DisputeView` in api/; JSON leaves out what is undefined.
import { objectEvent } from '../../events/store.ts';
import type { Dispute, DisputeEvent } from './dispute.ts';

export function disputeView(dispute: Dispute) {
  const { id, accountId, chargeId, paymentId, refundId, rail, paymentReference, returnReference } = dispute;
  const { cause, bankCode, amountCents, status, blockedUntil, isUntilEstimated, note } = dispute;
  const { closedAt, closedBy, reason, confirmedAt, createdAt, updatedAt } = dispute;
  return {
    id,
    accountId,
    chargeId,
    paymentId,
    refundId,
    rail,
    paymentReference,
    returnReference,
    cause,
    bankCode,
    amountCents: Number(amountCents),
    status,
    blockedCents: status === 'open' ? Number(amountCents) : 0,
    blockedUntil: blockedUntil?.toISOString(),
    isUntilEstimated: blockedUntil && isUntilEstimated,
    note,
    closedAt: closedAt?.toISOString(),
    closedBy: closedAt && (closedBy === undefined ? ('bank' as const) : ('account' as const)),
    reason,
    confirmedAt: confirmedAt?.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** An event that carries the dispute as it is now. */
export function disputeEvent(dispute: Dispute, type: DisputeEvent, at: Date) {
  return objectEvent(dispute, type, at, disputeView(dispute));
}
