// Answers of a bank's API without a boleto, as outcomes of a rail.
import type { Answer } from '../bank-client/classify.ts';

type NotOk = Exclude<Answer, { readonly kind: 'ok' }>;
export type Refused = Extract<Answer, { readonly kind: 'refused' }>;

/** Statuses with which a bank judges the request; any other 4xx means that the URL is wrong. */
const JUDGED: readonly number[] = [400, 406, 409, 413, 422];
const ABSENT: readonly number[] = [404, 410];

export function isJudged(answer: Answer): answer is Refused {
  return answer.kind === 'refused' && JUDGED.includes(answer.status);
}

/** The bank has nothing under that number. One bank answers with 204. */
export function isAbsent(answer: Answer): boolean {
  return answer.kind === 'ok' ? answer.status === 204 : answer.kind === 'refused' && ABSENT.includes(answer.status);
}

/** The bank has not said what became of the request. */
export function noAnswer(
  answer: NotOk,
): { readonly kind: 'unknown' } | { readonly kind: 'unavailable'; readonly retryAt?: Date } {
  if (answer.kind === 'unknown') return { kind: 'unknown' };
  const retryAt = answer.kind === 'unavailable' ? answer.retryAt : undefined;
  return { kind: 'unavailable', ...(retryAt && { retryAt }) };
}
