// The one error that calls throw: decide by its `code`.
import type { Problem } from './generated/types.ts';

/** What the client itself finds; all other codes are those of the service. */
export type ClientCode =
  /** No connection, or it ended before the answer was complete. */
  | 'connection_failed'
  /** An attempt took longer than `timeoutMs`. */
  | 'timeout'
  /** Not an answer of the service: that of a proxy, or of another program. */
  | 'unexpected_answer'
  | 'webhook_header_missing'
  | 'webhook_timestamp'
  | 'webhook_signature'
  | 'webhook_body';

export type ErrorCode = Problem['code'] | ClientCode;

type Details = {
  readonly status?: number | undefined;
  readonly problem?: Partial<Problem> | undefined;
  readonly requestId?: string | undefined;
  readonly isUncertain?: boolean;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
};

export class TrilhoError extends Error {
  override readonly name = 'TrilhoError';
  /** The codes of this version; a newer service may send others. */
  readonly code: ErrorCode | (string & {});
  /** That of the answer; undefined when there was no answer. */
  readonly status: number | undefined;
  /** Of the last attempt: the operator finds it in the log. */
  readonly requestId: string | undefined;
  /** Every fault of the request. */
  readonly errors: NonNullable<Problem['errors']>;
  /** The whole answer, with such fields as `chargeId`. */
  readonly problem: Partial<Problem> | undefined;
  /** True: the service may have carried the request out, by this attempt or by an earlier one. */
  isUncertain: boolean;
  /** What `Retry-After` asked for. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.problem = details.problem;
    this.requestId = details.requestId ?? details.problem?.requestId;
    this.errors = details.problem?.errors ?? [];
    this.isUncertain = details.isUncertain ?? false;
    this.retryAfterMs = details.retryAfterMs;
  }
}
