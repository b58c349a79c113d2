// The client of a service.
import { type Answer, methodOf, type RequestOptions, requestAny } from './call.ts';
import { OPERATIONS } from './generated/operations.ts';
import type { Resources } from './generated/resources.ts';
import { type Wait, waitMs } from './retry.ts';
import type { Connection } from './send.ts';

export type ClientOptions = {
  /** Where the service is: `https://pay.example`. */
  readonly url: string;
  /** An API key. A sandbox does not ask for one. */
  readonly key?: string | undefined;
  /** Instead of the global one. */
  readonly fetch?: typeof fetch;
  /** For one attempt: 30 seconds when absent. */
  readonly timeoutMs?: number;
  /** How often a request is sent again at most: 3 times when absent. */
  readonly retries?: number;
  /** How pauses between attempts are made, for tests that do not wait. */
  readonly wait?: Wait;
};

/** The methods of all resources, and `request` for anything else. */
export interface Trilho extends Resources {
  /**
   * Sends any request. An `idempotencyKey` says that the operation takes one, so a POST with it may be sent again.
   *
   * @example
   * const { headers } = await trilho.request('POST', '/charges', { body: charge, idempotencyKey: 'order-1043' });
   */
  request<Body = unknown>(method: string, path: `/${string}`, options?: RequestOptions): Promise<Answer<Body>>;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;

/**
 * A client of the service at an address. Throws a TypeError for an address or a key that cannot be sent.
 *
 * @example
 * const trilho = createTrilho({ url: 'http://127.0.0.1:3000' });
 * const charge = await trilho.charges.get('01a1e4c2-2663-7620-8aa1-07796410ba01');
 */
export function createTrilho(options: ClientOptions): Trilho {
  const connection: Connection = {
    url: readUrl(options.url),
    key: readKey(options.key),
    fetch: options.fetch ?? globalThis.fetch,
    wait: options.wait ?? waitMs,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
  };
  const resources = mapValues(OPERATIONS, methods => mapValues(methods, operation => methodOf(connection, operation)));
  return {
    // The table and the interfaces are generated together.
    ...(resources as unknown as Resources),
    request: <Body>(method: string, path: string, given: RequestOptions = {}) =>
      requestAny(connection, method, path, given) as Promise<Answer<Body>>,
  };
}

/** Its errors do not quote what they refuse, which may hold a password. */
function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new TypeError('url must be an http or https address');
  if (url.username || url.password) throw new TypeError('url must have no credentials: pass an API key as key');
  if (url.search || url.hash) throw new TypeError('url must have no query and no fragment');
  return url.href.replace(/\/$/, '');
}

function readKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError('key must be printable ASCII without blanks');
  return key;
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
