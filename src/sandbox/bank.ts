// The simulated bank behind the sandbox rail. The last four digits of the amount choose one of the behaviours below, so
// that every outcome can be produced on purpose and is the same each time. docs/sandbox.md lists them.
import { addDays, civilDay, momentOn } from '../lib/civil-days.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Method } from '../rails/methods/methods.ts';
import type {
  Finding,
  Outcome,
  PaymentRequest,
  Receipt,
  RefundFinding,
  RefundOutcome,
  RefundRequest,
} from '../rails/rail.ts';
import { afterAbatement, discountOn } from '../rails/reductions.ts';

type Behaviour = 'plain' | 'rejects' | 'slow' | 'loses_reply' | 'pays_twice' | 'pays_late' | 'keeps_due_day';

/** By the last four digits of the cents: BRL 90.01, 190.01, 1,290.01 … */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '9001': 'rejects',
  '9002': 'slow',
  '9003': 'loses_reply',
  '9004': 'pays_twice',
  '9005': 'pays_late',
  '9006': 'keeps_due_day',
};

const PAYS_AT_HOUR = 10;
const LATE_DAYS = 5;
const REFUSAL = 'The sandbox bank refuses amounts that end in 90.01.';

function behaviourOf(amountCents: bigint): Behaviour {
  return BEHAVIOURS[String(amountCents % 10_000n)] ?? 'plain';
}

export function submit(amountCents: bigint): Outcome {
  switch (behaviourOf(amountCents)) {
    case 'rejects':
      return { kind: 'rejected', reason: REFUSAL };
    case 'slow':
      return { kind: 'accepted' };
    case 'loses_reply':
      return { kind: 'unknown' };
    default:
      return { kind: 'registered' };
  }
}

/** By the time of a lookup the slow bank has decided, and a request whose reply was lost turns out to be registered. */
export function lookup(amountCents: bigint): Finding {
  return behaviourOf(amountCents) === 'rejects' ? { kind: 'rejected', reason: REFUSAL } : { kind: 'registered' };
}

export function changeDueDay(amountCents: bigint): { readonly kind: 'changed' } | { kind: 'rejected'; reason: string } {
  if (behaviourOf(amountCents) !== 'keeps_due_day') return { kind: 'changed' };
  return { kind: 'rejected', reason: 'The sandbox bank keeps the due day of amounts that end in 90.06.' };
}

/** Refunds have the same outcomes. */
export function submitRefund({ amountCents }: RefundRequest): RefundOutcome {
  const outcome = submit(amountCents);
  return outcome.kind === 'registered' ? { kind: 'done' } : outcome;
}

export function lookupRefund({ amountCents }: RefundRequest): RefundFinding {
  return behaviourOf(amountCents) === 'rejects' ? { kind: 'rejected', reason: REFUSAL } : { kind: 'done' };
}

/** When the simulated payer pays without being asked: on the due day by both methods, or some days late by pix. */
function paysAt({ amountCents, dueDay }: PaymentRequest, method: Method): Date | undefined {
  const behaviour = behaviourOf(amountCents);
  if (behaviour === 'pays_twice') return momentOn(dueDay, PAYS_AT_HOUR);
  if (behaviour === 'pays_late' && !ABILITIES[method].isCreditedLater)
    return momentOn(addDays(dueDay, LATE_DAYS), PAYS_AT_HOUR);
  return undefined;
}

export function nextLook(request: PaymentRequest, method: Method, after: Date): Date | undefined {
  const at = paysAt(request, method);
  return at && at > after ? at : undefined;
}

export function receivedUntil(request: PaymentRequest, method: Method, reference: string, until: Date): Receipt[] {
  const paidAt = paysAt(request, method);
  if (!paidAt || paidAt > until) return [];
  return [{ reference, amountCents: askedOn(request, paidAt), paidAt, returns: [] }];
}

/** What is left of the amount on that day. A late payer pays no fine and no interest. */
function askedOn(request: PaymentRequest, paidAt: Date): bigint {
  const { amountCents, abatement, dueDay } = request;
  const discount = discountOn(request, amountCents, { on: civilDay(paidAt), dueDay });
  return afterAbatement(amountCents, abatement) - (discount?.amountCents ?? 0n);
}
