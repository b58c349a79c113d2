// Creates, reads and cancels recurrences, and asks payers in their bank.
import type { AutomaticCalls, Recurrence, RecurrenceAnswer } from '../../automatic.ts';
import type { Client } from '../../bank-client/client.ts';
import { reasonOf } from '../../bank-client/read-answer.ts';
import { noAnswer } from '../charges.ts';
import { AUTOMATIC_SCOPES } from '../profile.ts';
import { absentOr, isJudged, readable, refusedOr } from './answers.ts';
import { askPayerBody, recurrenceBody } from './bodies.ts';
import { readLocation, readPayerRequest, readRecurrence } from './read.ts';

type RecurrenceCalls = Pick<
  AutomaticCalls,
  | 'takeLocation'
  | 'createRecurrence'
  | 'recurrence'
  | 'cancelRecurrence'
  | 'askPayer'
  | 'payerRequest'
  | 'cancelPayerRequest'
>;

export function recurrencesAt({ call: send }: Pick<Client, 'call'>): RecurrenceCalls {
  const call: Client['call'] = asked => send({ ...asked, scopes: AUTOMATIC_SCOPES });
  const found = (body: unknown) => readable(recurrenceFound(readRecurrence(body)));
  const foundRequest = (body: unknown) => {
    const request = readPayerRequest(body);
    return readable(request && ({ kind: 'found', request } as const));
  };

  const recurrence: AutomaticCalls['recurrence'] = async (id, chargeReference) => {
    const query = chargeReference === undefined ? {} : { txid: chargeReference };
    const answer = await call({ method: 'GET', resource: 'rec', path: [id], query });
    return answer.kind === 'ok' ? found(answer.body) : absentOr(answer);
  };

  const payerRequest: AutomaticCalls['payerRequest'] = async id => {
    const answer = await call({ method: 'GET', resource: 'solicrec', path: [id] });
    return answer.kind === 'ok' ? foundRequest(answer.body) : absentOr(answer);
  };

  return {
    recurrence,
    payerRequest,
    takeLocation: async () => {
      // The norm has no body for it.
      const answer = await call({ method: 'POST', resource: 'locrec' });
      if (answer.kind !== 'ok') return refusedOr(answer);
      const location = readLocation(answer.body);
      return readable(location && ({ kind: 'found', location } as const));
    },
    createRecurrence: async request => {
      const answer = await call({ method: 'POST', resource: 'rec', body: recurrenceBody(request) });
      return answer.kind === 'ok' ? found(answer.body) : refusedOr(answer);
    },
    cancelRecurrence: async id => {
      const answer = await call({ method: 'PATCH', resource: 'rec', path: [id], body: { status: 'CANCELADA' } });
      if (answer.kind === 'ok') return found(answer.body);
      if (!isJudged(answer)) return noAnswer(answer);
      // A repeat is refused although the first was accepted.
      const known = await recurrence(id);
      if (known.kind === 'found' && hasEnded(known.recurrence)) return known;
      return known.kind === 'found' ? { kind: 'rejected', reason: reasonOf(answer) } : { kind: 'unknown' };
    },
    askPayer: async request => {
      const answer = await call({ method: 'POST', resource: 'solicrec', body: askPayerBody(request) });
      return answer.kind === 'ok' ? foundRequest(answer.body) : refusedOr(answer);
    },
    cancelPayerRequest: async id => {
      const answer = await call({ method: 'PATCH', resource: 'solicrec', path: [id], body: { status: 'CANCELADA' } });
      if (answer.kind === 'ok') return foundRequest(answer.body);
      if (!isJudged(answer)) return noAnswer(answer);
      const known = await payerRequest(id);
      const isOpen = known.kind === 'found' && OPEN_REQUEST.includes(known.request.status ?? 'CREATED');
      if (isOpen) return { kind: 'rejected', reason: reasonOf(answer) };
      return known.kind === 'found' ? known : { kind: 'unknown' };
    },
  };
}

const OPEN_REQUEST: readonly string[] = ['CREATED', 'SENT', 'RECEIVED'];

function hasEnded({ status }: Recurrence): boolean {
  return status === 'REJECTED' || status === 'EXPIRED' || status === 'CANCELED';
}

function recurrenceFound(recurrence: Recurrence | undefined): RecurrenceAnswer | undefined {
  return recurrence && { kind: 'found', recurrence };
}
