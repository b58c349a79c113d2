// The answers to errors that the service did not throw itself: refusals of the framework, and unexpected errors.
import type { ProblemCode } from '../../api/problem-kinds.ts';

type Refusal = { readonly code: ProblemCode; readonly detail: string };

/** By the status of the framework. */
const REFUSALS: Record<number, Refusal> = {
  400: { code: 'malformed_request', detail: 'The request cannot be read.' },
  404: { code: 'not_found', detail: 'There is nothing at this address.' },
  408: { code: 'request_timeout', detail: 'The request did not arrive in time.' },
  413: { code: 'payload_too_large', detail: 'The body is larger than this address takes.' },
  414: { code: 'not_found', detail: 'There is nothing at this address.' },
  415: {
    code: 'unsupported_media_type',
    detail: 'Send the body as application/json, in UTF-8 and not compressed.',
  },
};

/** Undefined: the fault is ours and must be logged. */
export function frameworkRefusal(error: unknown): Refusal | undefined {
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  return REFUSALS[statusCode];
}

export const OUR_FAULT: Refusal = { code: 'internal_error', detail: 'The request could not be completed.' };
export const OUR_FAULT_LOGGED = 'request failed: answered 500';
