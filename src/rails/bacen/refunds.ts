// Sends money back out of a received pix. The id of a refund at the PSP is derived from ours, so a repeat is the same refund.

import type { Client } from '../bank-client/client.ts';
import { centsAt, readableAt, reasonOf, textAt } from '../bank-client/read-answer.ts';
import type { RefundFinding, RefundOutcome, RefundRequest } from '../rail.ts';
import { pspIdOf, reaisText } from './charge-body.ts';
import { isAbsent, JUDGED, noAnswer } from './charges.ts';

type Refunds = {
  refund(request: RefundRequest): Promise<RefundOutcome>;
  lookupRefund(request: RefundRequest): Promise<RefundFinding>;
};

export function refundsAt({ call }: Client): Refunds {
  const pathOf = ({ id, paymentReference }: RefundRequest) => [paymentReference, 'devolucao', pspIdOf(id)];

  async function lookupRefund(request: RefundRequest): Promise<RefundFinding> {
    const answer = await call({ method: 'GET', resource: 'pix', path: pathOf(request) });
    if (answer.kind === 'ok') return refundOf(answer.body, request);
    return isAbsent(answer) ? { kind: 'absent' } : noAnswer(answer);
  }

  return {
    lookupRefund,
    refund: async request => {
      const body = { valor: reaisText(request.amountCents) };
      const answer = await call({ method: 'PUT', resource: 'pix', path: pathOf(request), body });
      if (answer.kind === 'ok') return refundOf(answer.body, request);
      // A 404 says that the PSP does not know the payment.
      if (answer.kind !== 'refused' || !(JUDGED.includes(answer.status) || isAbsent(answer))) return noAnswer(answer);
      // A repeat is refused although the first was accepted.
      const found = await lookupRefund(request);
      if (found.kind === 'absent') {
        return answer.status === 409 ? { kind: 'unknown' } : { kind: 'rejected', reason: reasonOf(answer) };
      }
      return found.kind === 'unavailable' ? { kind: 'unknown' } : found;
    },
  };
}

/** An unknown status means that it is under way. */
function refundOf(body: unknown, { amountCents }: RefundRequest): RefundOutcome {
  if (body === undefined) return { kind: 'unknown' };
  const cents = centsAt(body, 'valor');
  if (cents !== undefined && cents !== amountCents) {
    return { kind: 'rejected', reason: 'The PSP has a refund of another amount under this id.' };
  }
  const status = textAt(body, 'status')?.toUpperCase();
  if (status === 'DEVOLVIDO') return { kind: 'done' };
  if (status !== 'NAO_REALIZADO') return { kind: 'accepted' };
  return { kind: 'rejected', reason: readableAt(body, 'motivo') ?? 'The PSP did not carry out the refund.' };
}
