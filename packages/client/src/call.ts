// From the arguments of a method to its request, and from the answer to its result.
import { followEvents } from './event-stream.ts';
import { parseJson } from './json.ts';
import { type AnyPage, listOf } from './list.ts';
import type { FileBody, KeyedOptions, Operation, StreamOptions } from './operation.ts';
import { type Connection, type Outgoing, open, send } from './send.ts';
import { TrilhoError } from './trilho-error.ts';

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export type RequestOptions = KeyedOptions & {
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: unknown;
};

export type Answer<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /** JSON as parsed, anything else as text. */
  readonly body: Body;
};

type Body = { readonly contentType: string; readonly content: NonNullable<Outgoing['body']> };
/** What a call sends, beside its options. */
type Content = {
  readonly method: string;
  readonly path: string;
  readonly query?: Query | undefined;
  readonly body?: Body | undefined;
  readonly idempotencyKey?: string | undefined;
};

/** The function behind a method. It takes ids, the body, the query and options, in this order and as far as the operation has them. */
export function methodOf(to: Connection, operation: Operation): (...given: readonly unknown[]) => unknown {
  const { method, takesKey, answer, items } = operation;
  return (...given) => {
    const rest = [...given];
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(name, rest.shift()));
    const body = operation.body && bodyOf(operation.body, rest.shift());
    const query = operation.hasQuery ? (rest.shift() as Query | undefined) : undefined;
    const options = (rest.shift() ?? {}) as KeyedOptions;
    const idempotencyKey = takesKey && (options.idempotencyKey ?? newKey());
    const request = (more: Query = {}) =>
      outgoing(to, { method, path, query: { ...query, ...more }, body, idempotencyKey }, options);
    if (answer === 'events') return streamOf(to, request, query?.['after'], options);
    if (answer === 'bytes') return send(to, request(), readBytes);
    if (items === undefined) return send(to, request(), readJson);
    return listOf(items, next => send(to, request(next), readJson) as Promise<AnyPage>);
  };
}

export async function requestAny(
  to: Connection,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Answer> {
  if (!path.startsWith('/')) throw new TypeError('path must begin with a slash');
  const { query, idempotencyKey } = options;
  const body = options.body === undefined ? undefined : bodyOf('json', options.body);
  const content = { method: method.toUpperCase(), path, query, body, idempotencyKey };
  return send(to, outgoing(to, content, options), async response => {
    const isJson = response.headers.get('content-type')?.includes('json');
    const { status, headers } = response;
    return { status, headers, body: isJson ? await readJson(response) : await response.text() };
  });
}

function streamOf(
  to: Connection,
  request: (more: Query) => Outgoing,
  after: Query[string],
  { signal, timeoutMs = to.timeoutMs, retries = Number.POSITIVE_INFINITY }: StreamOptions,
) {
  return followEvents({
    after: after === undefined ? undefined : String(after),
    wait: to.wait,
    retries,
    signal,
    open: async (cursor, stop) => {
      const timeout = new AbortController();
      const timer = setTimeout(() => timeout.abort(), timeoutMs);
      try {
        return await open(to, request({ after: cursor }), AbortSignal.any([stop, timeout.signal]), timeout.signal);
      } finally {
        clearTimeout(timer);
      }
    },
  });
}

function outgoing(to: Connection, content: Content, options: KeyedOptions): Outgoing {
  const { method, path, query, body, idempotencyKey } = content;
  if (idempotencyKey !== undefined && !/^[\x20-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters');
  }
  const headers = readHeaders({
    ...(to.key !== undefined && { authorization: `Bearer ${to.key}` }),
    ...(body && { 'content-type': body.contentType }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...options.headers,
  });
  return {
    method,
    path: path + queryText(query),
    headers,
    ...(body && { body: body.content }),
    isRepeatable: method !== 'POST' || idempotencyKey !== undefined,
    timeoutMs: options.timeoutMs ?? to.timeoutMs,
    retries: options.retries ?? to.retries,
    signal: options.signal,
  };
}

/** The error of the runtime would quote the value, which may be a secret. */
function readHeaders(headers: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw new TypeError('headers must be names and values that HTTP can carry');
  }
}

/** A part of a path. `.` and `..` would lead to another operation, however they are escaped. */
function segment(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || /^\.{0,2}$/.test(text)) throw new TypeError(`${name} must be an id`);
  return encodeURIComponent(text);
}

function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.size > 0 ? `?${parameters}` : '';
}

function bodyOf(kind: 'json' | 'file', value: unknown): Body {
  if (kind === 'file') return value as FileBody<string>;
  return { contentType: 'application/json', content: JSON.stringify(value ?? {}) };
}

const KEY_BYTES = 16;

/** `crypto.randomUUID` is missing on pages without https. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return parseJson(text);
  } catch {
    const requestId = response.headers.get('x-request-id') ?? undefined;
    const details = { status: response.status, requestId, isUncertain: true };
    throw new TrilhoError('unexpected_answer', `${response.status}: the answer is not JSON.`, details);
  }
}

async function readBytes(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await response.arrayBuffer());
}
