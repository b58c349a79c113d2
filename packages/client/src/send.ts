// One request: its attempts, each with its time-out, until there is an answer or an error that another attempt does not change.
import type { Problem } from './generated/types.ts';
import type { FileBody } from './operation.ts';
import { isPassing, mayBeDone, pauseMs, readRetryAfter, type Wait } from './retry.ts';
import { TrilhoError } from './trilho-error.ts';

export type Connection = {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
  readonly wait: Wait;
  readonly timeoutMs: number;
  readonly retries: number;
};

export type Outgoing = {
  readonly method: string;
  /** From the address of the service on, with its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: FileBody<string>['content'];
  /** It may be sent again although the first one may have been carried out. */
  readonly isRepeatable: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Sends a request, and again while that may help and cannot count twice. Resolves with what `read` makes of a 2xx; throws a
 * {@link TrilhoError} otherwise, and the reason of the signal when it is aborted.
 */
export async function send<T>(to: Connection, request: Outgoing, read: (response: Response) => Promise<T>): Promise<T> {
  let wasUncertain = false;
  for (let attempt = 0; ; attempt++) {
    try {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      return await attemptOnce(to, request, timeout, read);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (!(error instanceof TrilhoError)) throw error;
      wasUncertain ||= error.isUncertain;
      const mayRepeat = request.isRepeatable || !error.isUncertain;
      const pause = isPassing(error) && mayRepeat ? pauseMs(attempt, error.retryAfterMs) : undefined;
      if (attempt >= request.retries || pause === undefined) {
        error.isUncertain = wasUncertain;
        throw error;
      }
      await to.wait(pause, request.signal);
    }
  }
}

async function attemptOnce<T>(
  to: Connection,
  request: Outgoing,
  timeout: AbortSignal,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { signal } = request;
  const response = await open(to, request, signal ? AbortSignal.any([signal, timeout]) : timeout, timeout);
  try {
    return await read(response);
  } catch (error) {
    if (error instanceof TrilhoError) throw error;
    throw lost(error, timeout);
  }
}

/** An answer that has begun, with a 2xx. Its time is up when `timeout` is aborted. */
export async function open(
  to: Connection,
  { method, path, headers, body }: Outgoing,
  signal: AbortSignal,
  timeout: AbortSignal,
): Promise<Response> {
  const init = { method, headers, signal, redirect: 'manual' as const, ...(body !== undefined && { body }) };
  let response: Response;
  try {
    // Called bare: a browser's fetch refuses another `this`.
    const { fetch } = to;
    response = await fetch(to.url + path, init);
    if (!response.ok) throw refusalOf(response, await response.text());
  } catch (error) {
    throw error instanceof TrilhoError ? error : lost(error, timeout);
  }
  return response;
}

/** No connection was made, so nothing was sent. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'];

function lost(cause: unknown, timeout: AbortSignal): TrilhoError {
  if (timeout.aborted) {
    return new TrilhoError('timeout', 'The service did not answer in time.', { isUncertain: true, cause });
  }
  const code = codeOf(cause);
  const reason = code === undefined ? '' : ` (${code})`;
  return new TrilhoError('connection_failed', `There is no connection to the service${reason}.`, {
    isUncertain: code === undefined || !UNSENT.includes(code),
    cause,
  });
}

/** The code of the system behind the error of a fetch. */
function codeOf(error: unknown): string | undefined {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

function refusalOf({ status, headers, type }: Response, text: string): TrilhoError {
  const problem = readProblem(text);
  const code = problem?.code ?? 'unexpected_answer';
  const faults = (problem?.errors ?? []).map(({ path, message }) => `${path} ${message}`).join('; ');
  const isElsewhere = type === 'opaqueredirect' || headers.has('location');
  const other = isElsewhere ? 'The address leads to another one.' : 'This is not an answer of the service.';
  const detail = [problem?.detail ?? other, faults].filter(Boolean).join(' ');
  return new TrilhoError(code, `${status} ${code}: ${detail}`, {
    status,
    problem,
    requestId: headers.get('x-request-id') ?? undefined,
    isUncertain: mayBeDone(code, status),
    retryAfterMs: readRetryAfter(headers.get('retry-after'), Date.now()),
  });
}

function readProblem(text: string): (Partial<Problem> & { readonly code: string }) | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value?.code === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
