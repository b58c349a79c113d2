// Acts of the dashboard go through the API itself, inside the process and as the person who acts: with the same schemas, scopes,
// audit lines, refusals and answers as for a program.
import type { FastifyRequest } from 'fastify';
import { SESSION_COOKIE, sessionTokenOf } from '../../http/server/session-cookie.ts';
import type { Fault } from '../../lib/errors.ts';
import { currentTrace, formatTraceparent } from '../../lib/tracing.ts';

export type ApiCall = {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body?: unknown;
  /** Instead of a body. */
  readonly file?: { readonly type: string; readonly bytes: Buffer };
  /** A form that is sent twice takes effect once, where the route supports it. */
  readonly idempotencyKey?: string;
};

type ApiAnswer =
  | { readonly isDone: true; readonly value: Readonly<Record<string, unknown>> }
  | {
      readonly isDone: false;
      readonly status: number;
      readonly code: string;
      readonly detail: string;
      readonly faults: readonly Fault[];
    };

export async function callApi(request: FastifyRequest, call: ApiCall): Promise<ApiAnswer> {
  const token = sessionTokenOf(request);
  const { file, body, idempotencyKey } = call;
  const trace = currentTrace();
  const response = await request.server.inject({
    method: call.method,
    url: call.url,
    remoteAddress: request.ip,
    headers: {
      host: request.headers.host ?? 'localhost',
      'x-request-id': request.id,
      // The form itself was checked on arrival.
      'sec-fetch-site': 'same-origin',
      ...(token !== undefined && { cookie: `${SESSION_COOKIE}=${token}` }),
      ...(trace && { traceparent: formatTraceparent(trace) }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(file ? { 'content-type': file.type } : body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(file ? { payload: file.bytes } : body !== undefined && { payload: JSON.stringify(body) }),
  });
  const value: unknown = JSON.parse(response.payload);
  const said = isRecord(value) ? value : {};
  if (response.statusCode < 300) return { isDone: true, value: said };
  return {
    isDone: false,
    status: response.statusCode,
    code: textOf(said['code']),
    detail: textOf(said['detail']),
    faults: Array.isArray(said['errors']) ? said['errors'].filter(isFault) : [],
  };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isFault(value: unknown): value is Fault {
  return isRecord(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string';
}
