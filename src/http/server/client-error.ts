// Answers requests that cannot be parsed as HTTP, or do not arrive in time, with a problem document too.
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problem } from '../../api/problem.ts';
import { PROBLEMS, type ProblemCode } from '../../api/problem-kinds.ts';
import { requestUuid } from '../../lib/ids.ts';
import { answerHeaders } from './headers.ts';
import type { OpenAnswers } from './open-answers.ts';

const REASON_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
};

const CODES: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/**
 * How long to read from a connection after its last answer. Closing it with unread bytes would make the operating system reset it, and
 * the caller could lose that answer.
 */
const LINGER_MS = 2_000;

/** A sent answer, for logs and metrics. */
export type Answered = {
  readonly requestId: string;
  readonly trace_id?: string | undefined;
  readonly method: string;
  readonly route?: string;
  readonly status: number;
  readonly durationMs: number;
};

type Deps = {
  readonly answers: Pick<OpenAnswers, 'mayRefuse'>;
  readonly answered: (answer: Answered) => void;
};

/**
 * Handles what the parser refuses. While an earlier request on the same connection waits for its answer, the connection is closed without
 * an answer: its caller repeats that request and finds its effect.
 */
export function clientErrorHandler({ answers, answered }: Deps) {
  // The parser reports every further piece of such a connection again: only the first counts.
  const refused = new WeakSet<Socket>();
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || !answers.mayRefuse(socket)) {
      socket.destroy();
      return;
    }
    const code = CODES[error.code ?? ''] ?? 'malformed_request';
    const detail = code === 'malformed_request' ? 'The request is not HTTP.' : PROBLEMS[code].example.detail;
    const requestId = requestUuid();
    const { status } = PROBLEMS[code];
    const body = JSON.stringify(problem(code, requestId, { detail }));
    const headers = {
      ...answerHeaders(requestId),
      'content-type': PROBLEM_TYPE,
      'content-length': Buffer.byteLength(body),
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end([`HTTP/1.1 ${status} ${REASON_PHRASES[status]}`, ...lines, '', body].join('\r\n'));
    const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(limit));
    answered({ requestId, method: 'unknown', status, durationMs: 0 });
  };
}
