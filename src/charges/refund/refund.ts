// Refunds: a whole payment, a part of it, or the excess. `requestRefund` reserves the amount in one transaction, so that
// no cent is refunded twice. The job `charge.refund` carries it out: it marks the refund as submitted before it sends,
// and looks it up before it sends again.
import assert from 'node:assert/strict';
import { defineJob, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest, noSuch } from '../../lib/errors.ts';
import { contentHash } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Rail, RefundFinding, RefundRequest } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { Charge, Payment, Refund } from '../charge.ts';
import { logUndecided } from '../issue/undecided.ts';
import { excessCents, refundAsked, refundableCents } from '../life.ts';
import { lockCharges } from '../store/charges.ts';
import { findRefundByKey, insertRefund, markRefundSubmitted } from '../store/money.ts';
import { type WriteDeps, writeStep } from '../write.ts';
import { endRefund } from './returns.ts';

export const REFUND = defineJob<{
  readonly accountId: string;
  readonly chargeId: string;
  readonly refundId: string;
}>('charge.refund');

export type RefundDeps = WriteDeps & {
  readonly db: Database;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * The amount: everything left, a number of cents, or the excess. Without `paymentId`, the newest payment that has
 * enough.
 */
type NewRefund = {
  readonly chargeId: string;
  readonly amount: bigint | 'all' | 'excess';
  readonly paymentId?: string;
  readonly idempotencyKey?: string;
  /** Throws if the total refunded of the charge is not allowed: several small refunds count as one large one. */
  admit?(backCents: bigint): void;
};

type RequestedRefund = { readonly charge: Charge; readonly refund: Refund; readonly replayed: boolean };

/**
 * Reserves a refund and enqueues its job. Refuses more than is left of a payment, a rail that cannot refund, and a repeat
 * of a key with another body.
 */
export async function requestRefund(deps: RefundDeps, input: NewRefund): Promise<RequestedRefund> {
  const now = deps.clock.now();
  const id = uuidV7(now);
  const hash = contentHash({ amount: String(input.amount), paymentId: input.paymentId });
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [input.chargeId]);
    if (!charge) throw noSuch('charge');
    // A retry after a commit whose answer was lost finds its own refund.
    const repeat = charge.refunds.find(refund => refund.id === id) ?? (await findRepeat(tx, charge, input, hash));
    if (repeat) return { charge, refund: repeat, replayed: repeat.id !== id };
    const { payment, amountCents } = chooseSource(charge, input);
    input.admit?.(sentBackCents(charge) + amountCents);
    if (!railOf(deps.rails, charge, payment).can.refund) {
      throw new AppError(
        'wrong_state',
        `This ${payment.method} cannot be refunded here: send the money back at your bank.`,
      );
    }
    const refund: Refund = {
      id,
      kind: 'refund',
      paymentId: payment.id,
      amountCents,
      status: 'PENDING',
      createdAt: now,
    };
    await insertRefund(tx, charge, refund, { key: input.idempotencyKey, contentHash: hash });
    const after = await writeStep(deps, tx, refundAsked(charge, refund), now);
    await deps.queue.enqueue(tx, REFUND, [{ accountId: charge.accountId, chargeId: charge.id, refundId: id }]);
    return { charge: after, refund, replayed: false };
  });
}

/** Failed refunds sent nothing back. */
function sentBackCents({ refunds }: Charge): bigint {
  return refunds.filter(({ status }) => status !== 'FAILED').reduce((sum, refund) => sum + refund.amountCents, 0n);
}

/** The rail that received the payment. */
function railOf(rails: Rails, charge: Charge, { method }: Payment): Rail {
  const chargeMethod = charge.methods.find(candidate => candidate.method === method);
  assert(chargeMethod, 'the method of a payment belongs to the charge');
  return railNamed(rails, method, chargeMethod.rail);
}

async function findRepeat(tx: Sql, charge: Charge, input: NewRefund, hash: string): Promise<Refund | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const first = await findRefundByKey(tx, charge, input.idempotencyKey);
  if (first && first.contentHash !== hash) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
  }
  return charge.refunds.find(({ id }) => id === first?.id);
}

/**
 * Chooses the newest payment that has enough left. An excess may be spread over several payments: then the newest payment
 * refunds as much of it as it has left, and the caller may request the rest again.
 */
function chooseSource(charge: Charge, { amount, paymentId }: NewRefund): { payment: Payment; amountCents: bigint } {
  const payments = charge.payments.filter(({ id }) => paymentId === undefined || id === paymentId).reverse();
  if (payments.length === 0) throw new AppError('wrong_state', 'There is no payment to refund.');
  for (const payment of payments) {
    const leftCents = refundableCents(charge, payment);
    const amountCents = requestedCents(charge, amount, leftCents);
    if (amountCents >= 1n && amountCents <= leftCents) return { payment, amountCents };
  }
  if (charge.committedCents > 0n) {
    throw new AppError('wrong_state', 'This money was converted into crypto and cannot be refunded.');
  }
  if (typeof amount !== 'bigint') throw new AppError('wrong_state', 'There is nothing left to refund.');
  const message = 'is more than a payment of this charge still holds';
  throw invalidRequest([{ path: 'amountCents', code: 'above_refundable', message }]);
}

function requestedCents(charge: Charge, amount: NewRefund['amount'], leftCents: bigint): bigint {
  if (amount === 'all') return leftCents;
  if (amount !== 'excess') return amount;
  const excess = excessCents(charge);
  return excess < leftCents ? excess : leftCents;
}

/** Carries out a pending refund; postponed while the rail has not decided. */
export async function carryOutRefund(
  deps: RefundDeps,
  { chargeId, refundId }: PayloadOf<typeof REFUND>,
): Promise<JobOutcome> {
  const asked = await askRail(deps, chargeId, refundId);
  if (!asked) return 'done';
  const { rail, finding } = asked;
  if (finding.kind !== 'done' && finding.kind !== 'rejected') {
    logUndecided(deps.log, finding, { chargeId, refundId, rail: rail.name });
    return 'postponed';
  }
  await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const refund = charge?.refunds.find(({ id }) => id === refundId);
    if (!charge || refund?.status !== 'PENDING') return;
    const end =
      finding.kind === 'done' ? { status: 'DONE' as const } : { status: 'FAILED' as const, reason: finding.reason };
    await endRefund(deps, tx, charge, refund, end);
  });
  return 'done';
}

/**
 * Marks the refund as submitted, then sends it with no transaction open. If an earlier run may have sent it, looks it
 * up first.
 */
async function askRail(
  deps: RefundDeps,
  chargeId: string,
  refundId: string,
): Promise<{ rail: Rail; finding: RefundFinding } | undefined> {
  const submission = await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const refund = charge?.refunds.find(({ id }) => id === refundId);
    const payment = charge?.payments.find(({ id }) => id === refund?.paymentId);
    if (!charge || !payment || refund?.status !== 'PENDING') return undefined;
    const isFirst = await markRefundSubmitted(tx, charge, refundId, deps.clock.now());
    const rail = railOf(deps.rails, charge, payment);
    const request: RefundRequest = {
      id: refundId,
      paymentReference: payment.reference,
      amountCents: refund.amountCents,
    };
    return { isFirst, request, rail };
  });
  if (!submission) return undefined;
  const { isFirst, request, rail } = submission;
  if (!isFirst) {
    const finding = await rail.lookupRefund(request);
    if (finding.kind !== 'absent') return { rail, finding };
  }
  return { rail, finding: await rail.refund(request) };
}
