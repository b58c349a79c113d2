// Opens the dispute of a return, and records its end, in the transaction that writes the return: dispute, event and ledger entries are
// committed together with it. The caller holds the lock of the charge.
import assert from 'node:assert/strict';
import { insertEvents } from '../../events/store.ts';
import { disputeEndedEntry, disputeOpenedEntry, refundUndoneEntry } from '../../ledger/entries.ts';
import { postEntries } from '../../ledger/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { DisputedReturn } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge, Refund } from '../charge.ts';
import type { RefundEnd } from '../life.ts';
import {
  DISPUTE_TRANSITIONS,
  type Dispute,
  type DisputeOutcome,
  type DisputeStatus,
  estimatedUntil,
  type RecordedEnd,
} from './dispute.ts';
import { lockDispute } from './require.ts';
import { insertDispute, updateDispute } from './store.ts';
import { disputeEvent } from './view.ts';

type OpenDeps = {
  readonly clock: Clock;
  /** After how many days its money is probably no longer blocked; 0 for no estimate. */
  readonly disputeDays: number;
};

/** Returns the charge with the dispute at its return. A return that has already ended blocks nothing: its dispute is closed at once. */
export async function openDispute(
  { clock, disputeDays }: OpenDeps,
  tx: Sql,
  charge: Charge,
  refund: Refund,
  { cause, bankCode }: DisputedReturn,
): Promise<Charge> {
  const now = clock.now();
  const payment = charge.payments.find(({ id }) => id === refund.paymentId);
  const method = charge.methods.find(each => each.method === payment?.method);
  assert(payment && method, 'a return belongs to a payment by a method of its charge');
  const blockedUntil = refund.status === 'PENDING' ? estimatedUntil(now, disputeDays) : undefined;
  const dispute: Dispute = {
    id: uuidV7(now),
    accountId: charge.accountId,
    chargeId: charge.id,
    paymentId: payment.id,
    refundId: refund.id,
    rail: method.rail,
    paymentReference: payment.reference,
    returnReference: refund.reference ?? refund.id,
    cause,
    bankCode,
    amountCents: refund.amountCents,
    status: 'open',
    isUntilEstimated: blockedUntil !== undefined,
    ...(blockedUntil && { blockedUntil }),
    eventCount: 1,
    createdAt: now,
    updatedAt: now,
  };
  await insertDispute(tx, dispute);
  await insertEvents(tx, [disputeEvent(dispute, 'dispute.opened', now)]);
  if (refund.status === 'PENDING') await postEntries(tx, [disputeOpenedEntry(movementOf(dispute, now))]);
  else await closeRow(tx, dispute, { outcome: refund.status === 'DONE' ? 'lost' : 'won' }, now);
  const refunds = charge.refunds.map(each => (each.id === refund.id ? { ...each, disputeId: dispute.id } : each));
  return { ...charge, refunds };
}

/**
 * Records how the return of a dispute ended, and books what was blocked. `recorded`: a person says so; otherwise the bank has reported it,
 * which also changes what a person recorded before.
 */
export async function endDispute(
  tx: Sql,
  refund: Refund & { readonly disputeId: string },
  { status, reason }: RefundEnd,
  at: Date,
  recorded?: RecordedEnd,
): Promise<void> {
  const before = await lockDispute(tx, refund.disputeId);
  const movement = movementOf(before, at);
  if (refund.status === 'PENDING') await postEntries(tx, [disputeEndedEntry(movement)]);
  if (refund.status === 'DONE') await postEntries(tx, [refundUndoneEntry(movement)]);
  const byBank = { outcome: status === 'DONE' ? ('lost' as const) : ('won' as const), ...(reason && { reason }) };
  await closeRow(tx, before, recorded ?? byBank, at);
}

/** The bank reports the end that a person recorded: nothing else can follow. */
export async function confirmDispute(tx: Sql, id: string, at: Date): Promise<void> {
  const dispute = await lockDispute(tx, id);
  await updateDispute(tx, { ...dispute, confirmedAt: at, updatedAt: at });
}

type End = { readonly outcome: DisputeOutcome; readonly reason?: string; readonly by?: string };

async function closeRow(tx: Sql, before: Dispute, { outcome, by, reason }: End, at: Date): Promise<void> {
  const allowed: readonly DisputeStatus[] = DISPUTE_TRANSITIONS[before.status];
  assert(allowed.includes(outcome), `a dispute does not go from ${before.status} to ${outcome}`);
  const { closedBy: _, reason: __, confirmedAt: ___, ...rest } = before;
  const after: Dispute = {
    ...rest,
    status: outcome,
    closedAt: at,
    ...(by === undefined ? { confirmedAt: at } : { closedBy: by }),
    ...(reason !== undefined && { reason }),
    eventCount: before.eventCount + 1,
    updatedAt: at,
  };
  await updateDispute(tx, after);
  await insertEvents(tx, [disputeEvent(after, 'dispute.closed', at)]);
}

function movementOf({ id: disputeId, accountId, chargeId, amountCents }: Dispute, at: Date) {
  return { id: uuidV7(at), accountId, chargeId, disputeId, amountCents, at };
}
