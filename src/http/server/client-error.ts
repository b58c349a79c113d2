// What is answered when a request cannot even be parsed as HTTP, or does not arrive in time: the same kind of problem.
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problem } from '../../api/problem.ts';
import { PROBLEMS, type ProblemCode } from '../../api/problem-kinds.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { answerHeaders } from './headers.ts';

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

/** What is known of an answer that was sent. */
export type Answered = {
  readonly requestId: string;
  readonly method: string;
  readonly route?: string;
  readonly status: number;
  readonly durationMs: number;
};

export function onClientError(
  error: Error & { code?: string },
  socket: Socket,
  answered: (answer: Answered) => void,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = CODES[error.code ?? ''] ?? 'malformed_request';
  const requestId = uuidV7(new Date());
  const detail = code === 'malformed_request' ? 'The request is not HTTP.' : PROBLEMS[code].example.detail;
  const body = JSON.stringify(problem(code, requestId, { detail }));
  const { status } = PROBLEMS[code];
  const headers = {
    ...answerHeaders(requestId),
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${REASON_PHRASES[status]}`, ...lines, '', body].join('\r\n'));
  answered({ requestId, method: 'unknown', status, durationMs: 0 });
}
