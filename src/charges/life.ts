// The life of a charge as pure steps: a charge before, what happened, the charge after. Whoever writes one holds the
// charge's row, so nothing comes between reading and writing.
import assert from 'node:assert/strict';
import type { Method } from '../rails/rail.ts';
import {
  CAME_AFTER,
  type ChargeMethod,
  type ChargeState,
  type LivingCharge,
  METHOD_TRANSITIONS,
  type MethodStatus,
  OPEN_STATUS,
  type PaidAmount,
  type Payment,
  type Refund,
} from './charge.ts';

/** What a step is announced as. */
export const CHARGE_EVENTS = [
  'charge.created',
  'charge.active',
  'charge.failed',
  'charge.overdue',
  'charge.paid',
  'charge.paid_twice',
  'charge.settled',
  'charge.expired',
  'charge.canceled',
  'charge.refunded',
] as const;
export type ChargeEvent = (typeof CHARGE_EVENTS)[number];

/** The charge after a step, and the event that tells of it; none when the charge as a whole stayed as it was. */
export type Step = { readonly after: LivingCharge; readonly event?: ChargeEvent };

const UNPAID: readonly MethodStatus[] = ['CREATING', 'ACTIVE', 'REGISTERED', 'OVERDUE'];
const OPEN: readonly MethodStatus[] = ['ACTIVE', 'REGISTERED', 'OVERDUE'];

export const isUnpaid = (way: ChargeMethod) => UNPAID.includes(way.status);

/** The rail took the method. A charge registered after its due date is overdue from its first moment. */
export function registered(charge: LivingCharge, method: Method, at: Date): Step {
  const open = moved(charge, method, OPEN_STATUS[method]);
  const after = charge.dueAt < at ? moved(open, method, 'OVERDUE') : open;
  if (charge.state !== 'CREATING') return { after };
  return { after, event: after.state === 'OVERDUE' ? 'charge.overdue' : 'charge.active' };
}

/** The rail will not have it. */
export function rejected(charge: LivingCharge, method: Method, reason: string): Step {
  const after = moved(charge, method, 'FAILED', reason);
  return after.state === 'FAILED' ? { after, event: 'charge.failed' } : { after };
}

export function overdue(charge: LivingCharge): Step {
  // One that its rail has not taken yet becomes overdue when it does.
  return everyMethod(
    charge,
    way => way.status === 'ACTIVE' || way.status === 'REGISTERED',
    'OVERDUE',
    'charge.overdue',
  );
}

export function expired(charge: LivingCharge): Step {
  return everyMethod(charge, isUnpaid, 'EXPIRED', 'charge.expired');
}

export function canceled(charge: LivingCharge): Step {
  return everyMethod(charge, isUnpaid, 'CANCELED', 'charge.canceled');
}

/** The bank has the money of a paid boleto at hand. */
export function settled(charge: LivingCharge): Step {
  return everyMethod(charge, way => way.method === 'boleto' && way.status === 'PAID', 'SETTLED', 'charge.settled');
}

/**
 * Money came. The first pays its method and retires the other; what comes later is recorded beside it. `owedCents` is
 * what the paying method asked for on that day.
 */
export function paid(charge: LivingCharge, payment: Omit<Payment, 'isRepeat'>, owedCents: bigint): Step {
  const isRepeat = charge.payments.length > 0;
  const cameAfter = CAME_AFTER.find(status =>
    charge.ways.some(way => way.method === payment.method && way.status === status),
  );
  const payments = [...charge.payments, { ...payment, isRepeat, ...(cameAfter && { cameAfter }) }];
  if (isRepeat) {
    const owed = charge.owedCents ?? owedCents;
    const more = { ...charge, payments, paidAmount: paidAmountOf(payments, owed) };
    return { after: restated({ ...more, ways: refundedWays(more) }), event: 'charge.paid_twice' };
  }
  const way = charge.ways.find(candidate => candidate.method === payment.method);
  assert(way, 'money comes by a method of the charge');
  // A payer may be faster than the rail's answer.
  const open = way.status === 'CREATING' ? moved(charge, way.method, OPEN_STATUS[way.method]) : charge;
  const pays = moved(open, way.method, 'PAID');
  const retired = pays.ways
    .filter(other => other.method !== way.method && isUnpaid(other))
    .reduce((rest, other) => moved(rest, other.method, 'PAID_BY_OTHER_METHOD'), pays);
  const paidAmount = paidAmountOf(payments, owedCents);
  return {
    after: restated({ ...retired, payments, timing: payment.timing, paidAmount, owedCents }),
    event: 'charge.paid',
  };
}

/** A refund was asked for: the money is spoken for, nothing is announced yet. */
export function refundAsked(charge: LivingCharge, refund: Refund): Step {
  return { after: { ...charge, refunds: [...charge.refunds, refund] } };
}

/** A refund was done or given up. */
export function refundEnded(charge: LivingCharge, id: string, end: Pick<Refund, 'status' | 'reason'>): Step {
  const refunds = charge.refunds.map(refund => (refund.id === id ? { ...refund, ...end } : refund));
  const after = restated({ ...charge, refunds, ways: refundedWays({ ...charge, refunds }) });
  return end.status === 'DONE' ? { after, event: 'charge.refunded' } : { after };
}

/** What may still go back out of a payment. */
export function refundableCents(charge: LivingCharge, { id, amountCents }: Payment): bigint {
  const promised = charge.refunds.filter(refund => refund.paymentId === id && refund.status !== 'FAILED');
  const leftCents = amountCents - sumOf(promised);
  // Money that has become crypto does not go back, whichever payment it came by.
  const freeCents = keptCents(charge) - charge.committedCents;
  return leftCents < freeCents ? leftCents : freeCents;
}

/** What came and has not been promised back. */
export function keptCents({ payments, refunds }: LivingCharge): bigint {
  return sumOf(payments) - sumOf(refunds.filter(({ status }) => status !== 'FAILED'));
}

/** What came above what was owed and has not gone back. */
export function excessCents(charge: LivingCharge): bigint {
  const { owedCents = 0n } = charge;
  const kept = keptCents(charge);
  return kept > owedCents ? kept - owedCents : 0n;
}

function everyMethod(
  charge: LivingCharge,
  applies: (way: ChargeMethod) => boolean,
  to: MethodStatus,
  event: ChargeEvent,
): Step {
  const ways = charge.ways.filter(applies);
  const after = ways.reduce((rest, way) => moved(rest, way.method, to), charge);
  return ways.length > 0 && after.state !== charge.state ? { after, event } : { after };
}

/** A charge with one method at its next status. A step that the table does not know is a fault of ours. */
function moved(charge: LivingCharge, method: Method, to: MethodStatus, reason?: string): LivingCharge {
  const ways = charge.ways.map(way => {
    if (way.method !== method) return way;
    const allowed: readonly MethodStatus[] =
      (METHOD_TRANSITIONS[method] as Partial<Record<MethodStatus, readonly MethodStatus[]>>)[way.status] ?? [];
    assert(allowed.includes(to), `${method} does not go from ${way.status} to ${to}`);
    return { ...way, status: to, ...(reason !== undefined && { reason }) };
  });
  return restated({ ...charge, ways });
}

function restated(charge: LivingCharge): LivingCharge {
  return { ...charge, state: stateOf(charge) };
}

/** The state of the whole, from its money first and its methods second. */
function stateOf({ ways, payments, refunds, owedCents = 0n }: LivingCharge): ChargeState {
  const statuses = ways.map(way => way.status);
  if (statuses.some(status => ['PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(status))) {
    const paidCents = sumOf(payments);
    const backCents = sumOf(refunds.filter(({ status }) => status === 'DONE'));
    if (backCents > 0n && backCents >= paidCents) return 'REFUNDED';
    // Sending back what was too much leaves a charge that is paid.
    if (backCents > 0n && paidCents - backCents < owedCents) return 'PARTIALLY_REFUNDED';
    return statuses.includes('SETTLED') ? 'SETTLED' : 'PAID';
  }
  if (statuses.includes('OVERDUE')) return 'OVERDUE';
  if (statuses.some(status => OPEN.includes(status))) return 'ACTIVE';
  if (statuses.includes('CREATING')) return 'CREATING';
  if (statuses.includes('CANCELED')) return 'CANCELED';
  return statuses.includes('EXPIRED') ? 'EXPIRED' : 'FAILED';
}

/** A paid pix shows what went back of it; a boleto has no such status, its refunds are told by the charge. */
function refundedWays(charge: LivingCharge): ChargeMethod[] {
  const state = stateOf(charge);
  const status = state === 'REFUNDED' || state === 'PARTIALLY_REFUNDED' ? state : 'PAID';
  return charge.ways.map(way => {
    const isPaidPix = way.method === 'pix' && ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(way.status);
    return isPaidPix ? { ...way, status } : way;
  });
}

function paidAmountOf(payments: readonly { amountCents: bigint }[], owedCents: bigint): PaidAmount {
  const paidCents = sumOf(payments);
  if (paidCents === owedCents) return 'exact';
  return paidCents < owedCents ? 'partial' : 'over';
}

function sumOf(parts: readonly { readonly amountCents: bigint }[]): bigint {
  return parts.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}
