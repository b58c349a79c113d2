// Sending money back: the whole of a payment, a part of it, or what came too much. Promised in one transaction, so that no
// cent is promised twice; carried out by the job `charge.refund`, which notes before it sends and looks before it sends
// again.
import assert from 'node:assert/strict';
import type { Jobs, Queue } from '../jobs/queue.ts';
import { postEntries } from '../ledger/store.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { contentHash } from '../lib/hash.ts';
import { uuidV7 } from '../lib/ids.ts';
import { type Finding, type Rail, type Rails, type RefundRequest, railNamed } from '../rails/rail.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { LivingCharge, Payment, Refund } from './charge.ts';
import { excessCents, refundAsked, refundableCents, refundEnded } from './life.ts';
import { refundPosting } from './postings.ts';
import { lockCharges } from './store.ts';
import { findRefundByKey, insertRefund, markRefundSubmitted, updateRefund } from './store-money.ts';
import { UndecidedError } from './undecided.ts';
import { writeStep } from './write.ts';

export type RefundDeps = { readonly db: Database; readonly queue: Queue; readonly rails: Rails; readonly clock: Clock };

/** How much goes back: all that is left, an amount, or what came too much; out of one payment or the newest that holds it. */
export type NewRefund = {
  readonly chargeId: string;
  readonly amount: bigint | 'all' | 'excess';
  readonly paymentId?: string;
  readonly idempotencyKey?: string;
};

export type Asked = { readonly charge: LivingCharge; readonly refund: Refund; readonly replayed: boolean };

/**
 * Promises a refund. Refuses more than a payment still holds, a rail that cannot send money back, and a repeat of a key
 * with another body.
 */
export async function askRefund(deps: RefundDeps, input: NewRefund): Promise<Asked> {
  await deps.clock.refresh();
  const now = deps.clock.now();
  const id = uuidV7(now);
  const hash = contentHash({ amount: String(input.amount), paymentId: input.paymentId });
  const asked = await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [input.chargeId]);
    if (!charge) throw new AppError('not_found', 'There is no such charge.');
    // One that is run again after a connection was lost at its commit finds its own.
    const repeat = charge.refunds.find(refund => refund.id === id) ?? (await findRepeat(tx, charge, input, hash));
    if (repeat) return { charge, refund: repeat, replayed: repeat.id !== id };
    const { payment, amountCents } = chooseSource(charge, input);
    if (!railOf(deps.rails, charge, payment).can.refund) {
      throw new AppError(
        'wrong_state',
        `This ${payment.method} cannot be refunded here: send the money back at your bank.`,
      );
    }
    const refund: Refund = { id, paymentId: payment.id, amountCents, status: 'PENDING', createdAt: now };
    await insertRefund(tx, charge, refund, { key: input.idempotencyKey, contentHash: hash });
    const after = await writeStep(deps, tx, refundAsked(charge, refund), now);
    await deps.queue.enqueue(tx, 'charge.refund', [{ accountId: charge.accountId, chargeId: charge.id, refundId: id }]);
    return { charge: after, refund, replayed: false };
  });
  deps.queue.nudge('charge.refund');
  return asked;
}

/** The rail that the money came by. */
function railOf(rails: Rails, charge: LivingCharge, { method }: Payment): Rail {
  const way = charge.ways.find(candidate => candidate.method === method);
  assert(way, 'money comes by a method of the charge');
  return railNamed(rails, method, way.rail);
}

async function findRepeat(tx: Sql, charge: LivingCharge, input: NewRefund, hash: string): Promise<Refund | undefined> {
  if (input.idempotencyKey === undefined) return undefined;
  const first = await findRefundByKey(tx, charge, input.idempotencyKey);
  if (first && first.contentHash !== hash) {
    throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
  }
  return charge.refunds.find(({ id }) => id === first?.id);
}

/**
 * The newest payment that holds the amount. What came too much may have come in several payments: then as much of it goes
 * back as the newest holds, and the rest may be asked for again.
 */
function chooseSource(
  charge: LivingCharge,
  { amount, paymentId }: NewRefund,
): { payment: Payment; amountCents: bigint } {
  const payments = charge.payments.filter(({ id }) => paymentId === undefined || id === paymentId).reverse();
  if (payments.length === 0) throw new AppError('wrong_state', 'There is no payment to refund.');
  for (const payment of payments) {
    const leftCents = refundableCents(charge, payment);
    const amountCents = wantedCents(charge, amount, leftCents);
    if (amountCents >= 1n && amountCents <= leftCents) return { payment, amountCents };
  }
  if (charge.committedCents > 0n) {
    throw new AppError('wrong_state', 'This money was turned into crypto and cannot go back.');
  }
  if (typeof amount !== 'bigint') throw new AppError('wrong_state', 'There is nothing left to refund.');
  const message = 'is more than a payment of this charge still holds';
  throw invalidRequest([{ path: 'amountCents', code: 'above_refundable', message }]);
}

function wantedCents(charge: LivingCharge, amount: NewRefund['amount'], leftCents: bigint): bigint {
  if (amount === 'all') return leftCents;
  if (amount !== 'excess') return amount;
  const tooMuchCents = excessCents(charge);
  return tooMuchCents < leftCents ? tooMuchCents : leftCents;
}

/** Carries a promised refund out. Throws to be tried again while the rail has not decided. */
export async function carryOutRefund(deps: RefundDeps, { chargeId, refundId }: Jobs['charge.refund']): Promise<void> {
  const finding = await askRail(deps, chargeId, refundId);
  if (!finding) return;
  if (finding.kind === 'unknown' || finding.kind === 'accepted' || finding.kind === 'absent')
    throw new UndecidedError();
  await deps.clock.refresh();
  const at = deps.clock.now();
  await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const refund = charge?.refunds.find(({ id }) => id === refundId);
    if (!charge || refund?.status !== 'PENDING') return;
    const end =
      finding.kind === 'registered'
        ? ({ status: 'DONE' } as const)
        : ({ status: 'FAILED', reason: finding.reason } as const);
    await updateRefund(tx, charge, refundId, end, at);
    if (end.status === 'DONE') await postEntries(tx, [refundPosting(charge, refund, at)]);
    await writeStep(deps, tx, refundEnded(charge, refundId, end), at);
  });
}

/** Notes, then sends with no transaction open; what may have been sent is looked up first. */
async function askRail(deps: RefundDeps, chargeId: string, refundId: string): Promise<Finding | undefined> {
  const noted = await deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const refund = charge?.refunds.find(({ id }) => id === refundId);
    const payment = charge?.payments.find(({ id }) => id === refund?.paymentId);
    if (!charge || !payment || refund?.status !== 'PENDING') return undefined;
    const isFirst = await markRefundSubmitted(tx, charge, refundId, deps.clock.now());
    const request: RefundRequest = {
      id: refundId,
      paymentReference: payment.reference,
      amountCents: refund.amountCents,
    };
    return { isFirst, request, rail: railOf(deps.rails, charge, payment) };
  });
  if (!noted) return undefined;
  const { isFirst, request, rail } = noted;
  if (!isFirst) {
    const finding = await rail.lookupRefund(request);
    if (finding.kind !== 'absent') return finding;
  }
  return rail.refund(request);
}
