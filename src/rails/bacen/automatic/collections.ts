// Creates, reads, cancels and retries the charges of cycles. Their ids are ours, so a repeat is the same charge.
import type {
  AutomaticCalls,
  Collection,
  CollectionAnswer,
  CollectionRequest,
  NoAnswer,
  Rejected,
} from '../../automatic.ts';
import type { Answer } from '../../bank-client/classify.ts';
import type { Client } from '../../bank-client/client.ts';
import { reasonOf } from '../../bank-client/read-answer.ts';
import { noAnswer } from '../charges.ts';
import { AUTOMATIC_SCOPES } from '../profile.ts';
import type { AutomaticSettings } from '../settings.ts';
import { absentOr, isJudged, readable } from './answers.ts';
import { collectionBody } from './bodies.ts';
import { readCollection } from './read.ts';

type CollectionCalls = Pick<AutomaticCalls, 'collect' | 'collection' | 'cancelCollection' | 'retryCollection'>;

export function collectionsAt(settings: AutomaticSettings, { call: send }: Pick<Client, 'call'>): CollectionCalls {
  const call: Client['call'] = asked => send({ ...asked, scopes: AUTOMATIC_SCOPES });
  const found = (body: unknown) => {
    const collection = readCollection(body);
    return readable(collection && ({ kind: 'found', collection } as const));
  };

  const collection: AutomaticCalls['collection'] = async reference => {
    const answer = await call({ method: 'GET', resource: 'cobr', path: [reference] });
    return answer.kind === 'ok' ? found(answer.body) : absentOr(answer);
  };

  /** A refusal may be of a repeat: then the PSP shows that it was done. */
  async function judge(
    answer: Answer,
    reference: string,
    isDone: (collection: Collection) => boolean,
  ): Promise<CollectionAnswer | Rejected | NoAnswer> {
    if (answer.kind === 'ok') return found(answer.body);
    if (!isJudged(answer)) return noAnswer(answer);
    const known = await collection(reference);
    if (known.kind === 'found' && isDone(known.collection)) return known;
    if (known.kind === 'found') return { kind: 'rejected', reason: reasonOf(answer) };
    // A conflict says that the PSP has it; only another look can decide.
    if (known.kind === 'absent' && answer.status !== 409) return { kind: 'rejected', reason: reasonOf(answer) };
    return { kind: 'unknown' };
  }

  return {
    collection,
    collect: async (request, reference) => {
      const body = collectionBody(request, settings);
      const answer = await call({ method: 'PUT', resource: 'cobr', path: [reference], body });
      return judge(answer, reference, known => isSame(known, request));
    },
    cancelCollection: async reference => {
      const body = { status: 'CANCELADA' };
      const answer = await call({ method: 'PATCH', resource: 'cobr', path: [reference], body });
      return judge(
        answer,
        reference,
        ({ status }) => status !== undefined && status !== 'CREATED' && status !== 'ACTIVE',
      );
    },
    retryCollection: async (reference, day) => {
      const answer = await call({ method: 'POST', resource: 'cobr', path: [reference, 'retentativa', day] });
      return judge(answer, reference, ({ attempts }) => attempts.some(one => one.kind === 'RETRY' && one.day === day));
    },
  };
}

function isSame(known: Collection, { recurrenceId, amountCents, dueDay }: CollectionRequest): boolean {
  return known.recurrenceId === recurrenceId && known.amountCents === amountCents && known.dueDay === dueDay;
}
