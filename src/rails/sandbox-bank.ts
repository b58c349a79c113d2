// The simulated bank behind the sandbox rail. What it does is written in the amount: its last four digits choose one of the
// ways below, so that every outcome can be met on purpose and comes out the same each time. README lists them.
import { addDays, momentOn } from '../lib/civil-days.ts';
import type { Finding, Method, Outcome, PaymentRequest, Receipt, RefundRequest } from './rail.ts';

type Behaviour = 'plain' | 'rejects' | 'slow' | 'loses_reply' | 'pays_twice' | 'pays_late';

/** By the last four digits of the cents: BRL 90.01, 190.01, 1,290.01 … */
const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  '9001': 'rejects',
  '9002': 'slow',
  '9003': 'loses_reply',
  '9004': 'pays_twice',
  '9005': 'pays_late',
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

/** By then the slow one has decided, and the one whose reply was lost turns out to have arrived. */
export function lookup(amountCents: bigint): Finding {
  return behaviourOf(amountCents) === 'rejects' ? { kind: 'rejected', reason: REFUSAL } : { kind: 'registered' };
}

export const submitRefund = ({ amountCents }: RefundRequest): Outcome => submit(amountCents);
export const lookupRefund = ({ amountCents }: RefundRequest): Finding => lookup(amountCents);

/** When a payer that pays by itself does so: on the due day by each method, or some days late by pix. */
function paysAt({ amountCents, dueDay }: PaymentRequest, method: Method): Date | undefined {
  const behaviour = behaviourOf(amountCents);
  if (behaviour === 'pays_twice') return momentOn(dueDay, PAYS_AT_HOUR);
  if (behaviour === 'pays_late' && method === 'pix') return momentOn(addDays(dueDay, LATE_DAYS), PAYS_AT_HOUR);
  return undefined;
}

export function reconcileAfter(request: PaymentRequest, method: Method, after: Date): Date | undefined {
  const at = paysAt(request, method);
  return at && at > after ? at : undefined;
}

export function receiptsUntil(request: PaymentRequest, method: Method, reference: string, until: Date): Receipt[] {
  const paidAt = paysAt(request, method);
  return paidAt && paidAt <= until ? [{ reference, amountCents: request.amountCents, paidAt }] : [];
}
