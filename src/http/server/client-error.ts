// What is answered when a request cannot even be parsed as HTTP, or does not arrive in time: the same kind of problem. Requests
// before it on the same connection were carried out, so their answers go first.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_TYPE, problem } from '../../api/problem.ts';
import { PROBLEMS, type ProblemCode } from '../../api/problem-kinds.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Exchanges } from './exchanges.ts';
import { answerHeaders } from './headers.ts';

const REASON_PHRASES: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
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
 * How long a connection is read after its last answer. Closing it with bytes unread would make the operating system reset it,
 * and the caller could lose that answer.
 */
const LINGER_MS = 2_000;

/** What is known of an answer that was sent. */
export type Answered = {
  readonly requestId: string;
  readonly trace_id?: string | undefined;
  readonly method: string;
  readonly route?: string;
  readonly status: number;
  readonly durationMs: number;
};

type Deps = { readonly exchanges: Exchanges; readonly answered: (answer: Answered) => void };

/** Handles what the parser refuses. The parser reports every further piece of such a connection again: only the first counts. */
export function clientErrorHandler({ exchanges, answered }: Deps) {
  const refused = new WeakSet<Socket>();
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    if (refused.has(socket)) return;
    refused.add(socket);
    const code = CODES[error.code ?? ''] ?? 'malformed_request';
    const detail = code === 'malformed_request' ? 'The request is not HTTP.' : PROBLEMS[code].example.detail;
    exchanges.afterOwed(socket, mayAnswer => {
      if (mayAnswer) refuse(socket, { code, detail }, answered);
      else closeAfterDrain(socket);
    });
  };
}

/** CONNECT asks for a tunnel, and the parser hands the connection over to the `connect` listener, which refuses it and closes the connection. */
export function refuseTunnels(server: Server, { exchanges, answered }: Deps): void {
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // The parser's own listener is gone with the parser.
    socket.on('error', () => socket.destroy());
    const detail = 'This service opens no tunnels.';
    const refusal = { code: 'method_not_allowed', detail, method: 'CONNECT', headers: { allow: '' } } as const;
    exchanges.afterOwed(socket, () => refuse(socket, refusal, answered));
  });
}

type Refusal = {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Writes the last answer of a connection; nothing when it was closed meanwhile, as a request before had asked. */
function refuse(socket: Socket, refusal: Refusal, answered: Deps['answered']): void {
  if (!socket.writable) {
    closeAfterDrain(socket);
    return;
  }
  const { code, detail, method = 'unknown', headers = {} } = refusal;
  const requestId = requestUuid();
  const { status } = PROBLEMS[code];
  const body = JSON.stringify(problem(code, requestId, { detail }));
  const all = {
    ...answerHeaders(requestId),
    ...headers,
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${REASON_PHRASES[status]}`, ...lines, '', body].join('\r\n'));
  closeAfterDrain(socket);
  answered({ requestId, method, status, durationMs: 0 });
}

function closeAfterDrain(socket: Socket): void {
  socket.end();
  const limit = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(limit));
}
