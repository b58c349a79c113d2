// What an answer of the PSP says about a call: what it has, why it refuses, or that its outcome is unknown.

import type { NoAnswer, Rejected } from '../../automatic.ts';
import type { Answer } from '../../bank-client/classify.ts';
import { reasonOf } from '../../bank-client/read-answer.ts';
import { isAbsent, JUDGED, noAnswer } from '../charges.ts';

type Ok = Extract<Answer, { readonly kind: 'ok' }>;

/** An answer that cannot be read leaves the call unknown: the PSP has taken it. */
export function readable<T>(value: T | undefined): T | { readonly kind: 'unknown' } {
  return value ?? { kind: 'unknown' };
}

export function isJudged(answer: Answer): answer is Extract<Answer, { readonly kind: 'refused' }> {
  return answer.kind === 'refused' && JUDGED.includes(answer.status);
}

/** The PSP has judged the request itself; any other refusal comes from a wrong path. */
export function refusedOr(answer: Exclude<Answer, Ok>): Rejected | NoAnswer {
  return isJudged(answer) ? { kind: 'rejected', reason: reasonOf(answer) } : noAnswer(answer);
}

export function absentOr(answer: Exclude<Answer, Ok>): { readonly kind: 'absent' } | NoAnswer {
  return isAbsent(answer) ? { kind: 'absent' } : noAnswer(answer);
}
