// The error for a query that the PSP did not answer, for calls without an outcome for that.
import { AppError } from '../../lib/errors.ts';
import type { Answer } from './classify.ts';

/** Its message goes to logs and callers: for a refusal it holds only the status, otherwise our own text. */
export function unanswered(answer: Exclude<Answer, { readonly kind: 'ok' }>): AppError {
  const reason = answer.kind === 'refused' ? `it answered ${answer.status}` : answer.reason;
  return new AppError('rail_unavailable', `The PSP does not answer: ${reason}.`);
}
