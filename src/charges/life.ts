// The state transitions of a charge as pure functions: the charge before and what happened give the charge after. The
// caller holds the row lock of the charge, so no other transaction changes it between read and write.
import assert from 'node:assert/strict';
import { ABILITIES } from '../rails/abilities.ts';
import type { MethodFacts, MethodStatus } from '../rails/methods/method.ts';
import { METHOD_FACTS, type Method } from '../rails/methods/methods.ts';
import {
  CAME_AFTER,
  type Charge,
  type ChargeMethod,
  type ChargeState,
  isInstant,
  type PaidAmount,
  type Payment,
  type Refund,
  type Rests,
  statusesOf,
} from './charge.ts';
import { endOf } from './owed.ts';

/** The types of the events that charges emit. */
export const CHARGE_EVENTS = [
  'charge.created',
  'charge.active',
  'charge.failed',
  'charge.overdue',
  'charge.due_changed',
  'charge.due_change_failed',
  'charge.partially_paid',
  'charge.paid',
  'charge.paid_twice',
  'charge.settled',
  'charge.expired',
  'charge.canceled',
  'charge.refund_requested',
  'charge.refunded',
  'charge.refund_failed',
  'charge.returned',
] as const;
type ChargeEvent = (typeof CHARGE_EVENTS)[number];

/** The charge after a transition and its event; no event when only the status of one method changed. */
export type Step = { readonly after: Charge; readonly event?: ChargeEvent };

/** How a refund ended. */
export type RefundEnd = { readonly status: 'DONE' | 'FAILED'; readonly reason?: string };

const REFUND_EVENTS = {
  refund: { DONE: 'charge.refunded', FAILED: 'charge.refund_failed' },
  return: { DONE: 'charge.returned', FAILED: undefined },
} as const satisfies Record<Refund['kind'], Record<RefundEnd['status'], ChargeEvent | undefined>>;

const UNPAID: readonly MethodStatus[] = ['CREATING', 'ACTIVE', 'REGISTERED', 'OVERDUE'];
const OPEN: readonly MethodStatus[] = ['ACTIVE', 'REGISTERED', 'OVERDUE'];

/** Whether its code or line can be paid. */
export const isPayable = ({ status }: ChargeMethod) => OPEN.includes(status);

export const isUnpaid = ({ status }: ChargeMethod) => UNPAID.includes(status);

/** The rail registered the method. A charge registered after its due date is overdue at once. */
export function registered(charge: Charge, method: Method, at: Date): Step {
  const open = moved(charge, method, METHOD_FACTS[method].openStatus);
  const after = charge.dueAt < at && !isInstant(charge, method) ? moved(open, method, 'OVERDUE') : open;
  if (charge.state !== 'CREATING') return { after };
  return { after, event: after.state === 'OVERDUE' ? 'charge.overdue' : 'charge.active' };
}

const EVENTS_WITHOUT_PAYMENT: { readonly [state in ChargeState]?: ChargeEvent } = {
  FAILED: 'charge.failed',
  CANCELED: 'charge.canceled',
  EXPIRED: 'charge.expired',
};

/** The rail refused the method. If the other method has ended already, so has the charge. */
export function rejected(charge: Charge, method: Method, reason: string): Step {
  const after = moved(charge, method, 'FAILED', reason);
  const event = after.state === charge.state ? undefined : EVENTS_WITHOUT_PAYMENT[after.state];
  return event ? { after, event } : { after };
}

export function overdue(charge: Charge): Step {
  // A method that its rail has not registered yet becomes overdue when it is registered; see `registered`.
  return everyMethod(
    charge,
    ({ method, status }) => (status === 'ACTIVE' || status === 'REGISTERED') && !isInstant(charge, method),
    'OVERDUE',
    'charge.overdue',
  );
}

/** A charge gets another due date; if that is in the future, nothing is overdue any more. */
export function dueChanged(charge: Charge, at: Date): Step {
  const late = charge.dueAt < at ? [] : charge.methods.filter(({ status }) => status === 'OVERDUE');
  const after = late.reduce((before, { method }) => moved(before, method, METHOD_FACTS[method].openStatus), charge);
  return { after, event: 'charge.due_changed' };
}

export function dueChangeFailed(charge: Charge, reason: string): Step {
  assert(charge.dueChange, 'a change was requested');
  const dueChange = { ...charge.dueChange, status: 'FAILED', reason } as const;
  return { after: { ...charge, dueChange }, event: 'charge.due_change_failed' };
}

/** Expires the methods that have reached their end: an instant pix ends before the boleto of the same charge. */
export function expired(charge: Charge, at: Date): Step {
  const hasEnded = (one: ChargeMethod) => isUnpaid(one) && endOf(charge, one.method) <= at;
  const step = everyMethod(charge, hasEnded, 'EXPIRED', 'charge.expired');
  return step.after.methods.some(isUnpaid) ? { after: step.after } : step;
}

export function canceled(charge: Charge): Step {
  return everyMethod(charge, isUnpaid, 'CANCELED', 'charge.canceled');
}

const WRITTEN_OFF_EVENTS = { CANCELED: 'charge.canceled', EXPIRED: 'charge.expired' } as const;

/** The bank has written off an unpaid method on its own; another one can still be paid. */
export function writtenOff(charge: Charge, method: Method, to: keyof typeof WRITTEN_OFF_EVENTS): Step {
  const after = moved(charge, method, to);
  return after.state === to && charge.state !== to ? { after, event: WRITTEN_OFF_EVENTS[to] } : { after };
}

/** The bank has credited a paid boleto. */
export function settled(charge: Charge): Step {
  return everyMethod(
    charge,
    ({ method, status }) => ABILITIES[method].isCreditedLater && status === 'PAID',
    'SETTLED',
    'charge.settled',
  );
}

/**
 * A payment was received. The first one pays its method and retires the other method; a later one is recorded as a repeat.
 * `owedCents` is what is owed in all, see `owedInAll`: less than that pays the charge in part, until more comes.
 */
export function paid(charge: Charge, payment: Omit<Payment, 'isRepeat'>, owedCents: bigint): Step {
  const isRepeat = charge.payments.length > 0;
  const cameAfter = CAME_AFTER.find(status =>
    charge.methods.some(candidate => candidate.method === payment.method && candidate.status === status),
  );
  const payments = [...charge.payments, { ...payment, isRepeat, ...(cameAfter && { cameAfter }) }];
  if (isRepeat) {
    const after = completed({ ...charge, payments, owedCents }, charge.isPaidInPart ?? false);
    const event = charge.isPaidInPart ? eventOfMoney(after) : 'charge.paid_twice';
    return { after: restated({ ...after, methods: refundedMethods(after) }), event };
  }
  const { method } = payment;
  const chargeMethod = charge.methods.find(candidate => candidate.method === method);
  assert(chargeMethod, 'the method of a payment belongs to the charge');
  // The payment may arrive before the rail's answer to the registration.
  const open = chargeMethod.status === 'CREATING' ? moved(charge, method, METHOD_FACTS[method].openStatus) : charge;
  const paidByMethod = moved(open, method, 'PAID');
  const retired = paidByMethod.methods
    .filter(other => other.method !== method && isUnpaid(other))
    .reduce((before, other) => moved(before, other.method, 'PAID_BY_OTHER_METHOD'), paidByMethod);
  const after = restated(completed({ ...retired, payments, timing: payment.timing, owedCents }, true));
  return { after, event: eventOfMoney(after) };
}

const NOTHING: Rests = { broughtCents: 0n, returnedCents: 0n };

/**
 * The charges for the remainder received more, or some of it went back. Receipts count first: a charge that was fully paid for a moment
 * was paid.
 */
export function restsChanged(charge: Charge, rests: Rests, isPaid: boolean): Step[] {
  const before = charge.rests ?? NOTHING;
  const remainder = charge.remainder && { ...charge.remainder, isPaid };
  const held = { ...charge, ...(remainder && { remainder }) };
  const steps: Step[] = [];
  if (rests.broughtCents !== before.broughtCents) {
    const brought = { ...held, rests: { ...before, broughtCents: rests.broughtCents } };
    const after = completed(brought, charge.isPaidInPart ?? false);
    const stated = restated({ ...after, methods: refundedMethods(after) });
    steps.push(charge.isPaidInPart ? { after: stated, event: eventOfMoney(stated) } : { after: stated });
  }
  if (rests.returnedCents !== before.returnedCents) {
    const last = steps.at(-1)?.after ?? held;
    const after = restated({ ...last, rests });
    const isLess = rests.returnedCents > before.returnedCents && after.state !== last.state;
    steps.push({ after, ...(isLess && { event: 'charge.refunded' as const }) });
  }
  return steps.flatMap(withSettlement);
}

/** At least what was owed has arrived, now or before. */
export function wasPaidUp({ payments, isPaidInPart }: Charge): boolean {
  return payments.length > 0 && !isPaidInPart;
}

/** What arrived for it, including by charges for the remainder, minus what went back. */
export function heldCents(charge: Charge): bigint {
  return arrivedCents(charge) - returnedCents(charge) - (charge.rests ?? NOTHING).returnedCents;
}

/** A boleto may be credited while the remainder is missing: such a charge is settled as soon as it is fully paid. */
export function withSettlement(step: Step): Step[] {
  const { after, event } = step;
  const isSettled = event === 'charge.paid' && after.state === 'SETTLED';
  return isSettled ? [step, { after, event: 'charge.settled' }] : [step];
}

/** Whether it is fully paid, and how its money compares with what was owed. Once fully paid, it stays so. */
function completed({ isPaidInPart: _, ...charge }: Charge, wasMissing: boolean): Charge {
  const owedCents = charge.owedCents ?? 0n;
  const isMissing = wasMissing && heldCents(charge) < owedCents;
  const paidAmount = paidAmountOf(arrivedCents(charge), owedCents);
  return { ...charge, paidAmount, ...(isMissing && { isPaidInPart: true as const }) };
}

function eventOfMoney({ isPaidInPart }: Charge): ChargeEvent {
  return isPaidInPart ? 'charge.partially_paid' : 'charge.paid';
}

/** A refund was requested: its amount is reserved. */
export function refundAsked(charge: Charge, refund: Refund): Step {
  return { after: { ...charge, refunds: [...charge.refunds, refund] }, event: 'charge.refund_requested' };
}

/** A bank began to take money back without a request. The event is written when it is done. */
export function returnBegun(charge: Charge, refund: Refund): Step {
  return { after: { ...charge, refunds: [...charge.refunds, refund] } };
}

/** A refund was done or has failed. */
export function refundEnded(charge: Charge, id: string, end: RefundEnd): Step {
  const refunds = charge.refunds.map(refund => (refund.id === id ? { ...refund, ...end } : refund));
  const after = restated({ ...charge, refunds, methods: refundedMethods({ ...charge, refunds }) });
  const isReturn = refunds.some(refund => refund.id === id && refund.kind === 'return');
  const event = REFUND_EVENTS[isReturn ? 'return' : 'refund'][end.status];
  return { after, ...(event && { event }) };
}

/** The amount of a payment that has not gone back, and is not about to. */
export function unreturnedCents({ refunds }: Charge, { id, amountCents }: Payment): bigint {
  return amountCents - sumOf(refunds.filter(refund => refund.paymentId === id && refund.status !== 'FAILED'));
}

/** The amount of a payment that can still be refunded. */
export function refundableCents(charge: Charge, payment: Payment): bigint {
  const leftCents = unreturnedCents(charge, payment);
  // Money that was converted into crypto cannot be refunded out of any payment.
  const freeCents = keptCents(charge) - charge.committedCents;
  return leftCents < freeCents ? leftCents : freeCents;
}

/** Its own payments plus those of the charges for the remainder. */
function arrivedCents({ payments, rests = NOTHING }: Charge): bigint {
  return sumOf(payments) + rests.broughtCents;
}

/** How much of its own payments went back. */
function returnedCents({ refunds }: Charge): bigint {
  return sumOf(refunds.filter(({ status }) => status === 'DONE'));
}

/** The unpaid remainder of a partly paid charge; money that goes back counts as unpaid. */
export function missingCents(charge: Charge): bigint {
  const { owedCents = 0n, isPaidInPart, rests = NOTHING } = charge;
  return isPaidInPart ? owedCents - keptCents(charge) - rests.broughtCents + rests.returnedCents : 0n;
}

/** All payments minus all refunds, the pending ones included. */
export function keptCents({ payments, refunds }: Charge): bigint {
  return sumOf(payments) - sumOf(refunds.filter(({ status }) => status !== 'FAILED'));
}

/** The part of the kept amount that exceeds what was owed. Money of the charge for the remainder can be refunded only there. */
export function excessCents(charge: Charge): bigint {
  const { owedCents = 0n } = charge;
  const kept = keptCents(charge);
  return kept > owedCents ? kept - owedCents : 0n;
}

function everyMethod(
  charge: Charge,
  applies: (method: ChargeMethod) => boolean,
  to: MethodStatus,
  event: ChargeEvent,
): Step {
  const methods = charge.methods.filter(applies);
  const after = methods.reduce((before, { method }) => moved(before, method, to), charge);
  return methods.length > 0 && after.state !== charge.state ? { after, event } : { after };
}

/** The charge with one method at its next status. A transition that the table does not list is a bug: it fails. */
function moved(charge: Charge, method: Method, to: MethodStatus, reason?: string): Charge {
  const methods = charge.methods.map(current => {
    if (current.method !== method) return current;
    const { transitions }: MethodFacts = METHOD_FACTS[method];
    const allowed = transitions[current.status] ?? [];
    assert(allowed.includes(to), `${method} does not go from ${current.status} to ${to}`);
    return { ...current, status: to, ...(reason !== undefined && { reason }) };
  });
  return restated({ ...charge, methods });
}

/** The charge with its state derived again. */
function restated(charge: Charge): Charge {
  return { ...charge, state: stateOf(charge) };
}

/** The state of the whole charge: payments and refunds decide first, then the statuses of the methods. */
function stateOf(charge: Charge): ChargeState {
  const { methods } = charge;
  const statuses = methods.map(({ status }) => status);
  if (statuses.some(status => ['PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(status))) {
    const refunded = refundedState(charge);
    if (refunded === 'REFUNDED') return 'REFUNDED';
    if (charge.isPaidInPart) return 'PARTIALLY_PAID';
    if (refunded === 'PARTIALLY_REFUNDED') return 'PARTIALLY_REFUNDED';
    return statuses.includes('SETTLED') ? 'SETTLED' : 'PAID';
  }
  if (statuses.includes('OVERDUE')) return 'OVERDUE';
  if (statuses.some(status => OPEN.includes(status))) return 'ACTIVE';
  if (statuses.includes('CREATING')) return 'CREATING';
  if (statuses.includes('CANCELED')) return 'CANCELED';
  return statuses.includes('EXPIRED') ? 'EXPIRED' : 'FAILED';
}

/** Of the whole charge, including money of the charges for the remainder. */
function refundedState(charge: Charge): 'REFUNDED' | 'PARTIALLY_REFUNDED' | undefined {
  const held = heldCents(charge);
  if (held === arrivedCents(charge)) return undefined;
  if (held <= 0n) return 'REFUNDED';
  return held < (charge.owedCents ?? 0n) ? 'PARTIALLY_REFUNDED' : undefined;
}

/** Of the method that received its own payments. */
function refundedStatus(charge: Charge): 'REFUNDED' | 'PARTIALLY_REFUNDED' | undefined {
  const backCents = returnedCents(charge);
  if (backCents === 0n) return undefined;
  if (backCents >= sumOf(charge.payments)) return 'REFUNDED';
  // A refund of only the excess leaves the charge paid.
  return arrivedCents(charge) - backCents < (charge.owedCents ?? 0n) ? 'PARTIALLY_REFUNDED' : undefined;
}

/** A paid pix has a status for refunds. A boleto has no such status: only the state of its charge shows refunds. */
function refundedMethods(charge: Charge): ChargeMethod[] {
  const status = refundedStatus(charge) ?? 'PAID';
  return charge.methods.map(current => {
    const isPaid = ['PAID', 'PARTIALLY_REFUNDED', 'REFUNDED'].includes(current.status);
    return isPaid && statusesOf(current.method).includes('REFUNDED') ? { ...current, status } : current;
  });
}

function paidAmountOf(paidCents: bigint, owedCents: bigint): PaidAmount {
  if (paidCents === owedCents) return 'exact';
  return paidCents < owedCents ? 'partial' : 'over';
}

function sumOf(parts: readonly { readonly amountCents: bigint }[]): bigint {
  return parts.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}
