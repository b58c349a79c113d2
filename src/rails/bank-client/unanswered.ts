// The error of a question that the PSP did not answer, for calls that have no outcome for it.
import { AppError } from '../../lib/errors.ts';
import type { Answer } from './classify.ts';

/** Its message goes to logs and callers: of a refusal it holds only the status, of anything else text of this service. */
export function unanswered(answer: Exclude<Answer, { readonly kind: 'ok' }>): AppError {
  const reason = answer.kind === 'refused' ? `it answered ${answer.status}` : answer.reason;
  return new AppError('rail_unavailable', `The PSP does not answer: ${reason}.`);
}
