// A guarded POST to a URL that a user chose. Every address of its host is checked, the socket connects only to checked
// addresses, and redirects are not followed.
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isLocalName, mayReach, type Reach, urlFault } from './outgoing-address.ts';
import { type AllowList, NOTHING_LISTED } from './outgoing-allow.ts';

/** Resolves a name to all its addresses; empty when it has no address. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

type OutgoingRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The limit for DNS, connecting, sending and the status line of the answer together. */
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
};

/** The result. `error` is a sentence of this service; of the receiver it contains at most an error code. */
export type OutgoingAnswer = {
  readonly status?: number;
  readonly error?: string;
  /** The beginning of the body, as storable text. */
  readonly answer?: string;
  readonly latencyMs: number;
};

const LOCAL_ADDRESSES = ['127.0.0.1', '::1'];
const ANSWER_BYTES = 1_024;
/** The limit for reading the body after the status line. */
const ANSWER_TIMEOUT_MS = 1_000;

export type OutgoingDeps = {
  /** Whether requests may go to this machine, and by plain http. */
  readonly allowsLocal: boolean;
  /** Private addresses that an operator allowed; absent: no private address is. */
  readonly allowed?: AllowList | undefined;
  /** How names are looked up; by DNS when absent. */
  readonly resolve?: Resolve | undefined;
};

export async function sendOutgoing(
  { allowsLocal, allowed = NOTHING_LISTED, resolve = resolveByDns }: OutgoingDeps,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  const latencyMs = () => Math.round(performance.now() - started);
  try {
    const addresses = await checkedAddresses(request.url, { allowsLocal, allowed, resolve, signal });
    const { status, answer } = await exchange(request, addresses, signal);
    return { status, answer, latencyMs: latencyMs() };
  } catch (error) {
    return { error: errorText(error, timeout, request), latencyMs: latencyMs() };
  }
}

/**
 * Why a URL is refused, as the end of a sentence about it; undefined when it is allowed. A name without an address is
 * allowed, because it may get one; it is checked again with every request.
 */
export async function outgoingFault(
  { allowsLocal, allowed = NOTHING_LISTED, resolve = resolveByDns }: OutgoingDeps,
  text: string,
): Promise<string | undefined> {
  const reach = { allowsLocal, allowed };
  const fault = urlFault(text, reach);
  if (fault !== undefined) return fault;
  const url = new URL(text);
  const addresses = await addressesOf(url, resolve, AbortSignal.timeout(DNS_TIMEOUT_MS)).catch(() => []);
  const isReachable = addresses.every(address => mayReach(url, address, reach));
  if (isReachable) return undefined;
  return isPlain(url, reach) ? 'must begin with https://' : 'must not lead to an address that is not public';
}

/** The service refused the URL or the answer. */
class Refused extends Error {
  override readonly name = 'Refused';
}

type Guard = Reach & { readonly resolve: Resolve; readonly signal: AbortSignal };

/** All addresses of the host. One forbidden address refuses them all: the next DNS answer might list it first. */
async function checkedAddresses(text: string, { resolve, signal, ...reach }: Guard): Promise<readonly string[]> {
  const fault = urlFault(text, reach);
  if (fault !== undefined) throw new Refused(`the url ${fault}`);
  const url = new URL(text);
  const addresses = await addressesOf(url, resolve, signal);
  if (addresses.length === 0) throw new Refused('its name has no address');
  if (!addresses.every(address => mayReach(url, address, reach))) {
    throw new Refused(
      isPlain(url, reach) ? 'the url must begin with https://' : 'its name leads to an address that is not public',
    );
  }
  return addresses;
}

async function addressesOf(url: URL, resolve: Resolve, signal: AbortSignal): Promise<readonly string[]> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return [host];
  return isLocalName(host) ? LOCAL_ADDRESSES : resolve(host, signal);
}

/** Whether it is plain http, which may only go to listed places. */
function isPlain({ protocol }: URL, { allowsLocal }: Reach): boolean {
  return protocol === 'http:' && !allowsLocal;
}

/** Connections to frequent receivers are reused. A reused socket is connected to an address that was checked. */
const KEEP_ALIVE = { keepAlive: true, maxFreeSockets: 128, timeout: 30_000 } as const;
const agents = { http: new HttpAgent(KEEP_ALIVE), https: new HttpsAgent(KEEP_ALIVE) };

type Exchanged = { readonly status: number; readonly answer: string };

/**
 * The receiver may close a kept connection just as it is reused; then it has read nothing, and a new connection is
 * tried.
 */
async function exchange(
  request: OutgoingRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<Exchanged> {
  try {
    return await exchangeOnce(request, addresses, signal, true);
  } catch (error) {
    if (!(error instanceof StaleSocket)) throw error;
    return exchangeOnce(request, addresses, signal, false);
  }
}

/** A reused connection was closed before any answer. */
class StaleSocket extends Error {
  override readonly name = 'StaleSocket';
}

function exchangeOnce(
  { url, headers, body }: OutgoingRequest,
  addresses: readonly string[],
  signal: AbortSignal,
  mayReuse: boolean,
): Promise<Exchanged> {
  const isHttps = url.toLowerCase().startsWith('https:');
  const send = isHttps ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = send(url, {
      method: 'POST',
      // Explicit agents, so that a proxy of the environment is not used.
      agent: mayReuse ? agents[isHttps ? 'https' : 'http'] : false,
      lookup: pinnedTo(addresses),
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    });
    request.once('response', response => {
      isAnswered = true;
      readBeginning(request, response).then(answer => resolve({ status: response.statusCode ?? 0, answer }));
    });
    // After the status line an error no longer matters.
    request.on('error', error => {
      if (isAnswered) return;
      reject(request.reusedSocket && !signal.aborted ? new StaleSocket() : error);
    });
    // The request asked for no upgrade, and no answer follows one.
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Refused('it answered with another protocol'));
    });
    // Settle the promise in any case when the socket is closed.
    request.once('close', () => {
      if (!isAnswered) reject(new Refused('it closed the connection without an answer'));
    });
    request.end(body);
  });
}

/** A lookup function that returns only the checked addresses, whatever DNS would answer now. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}

/**
 * Reads the beginning of the body. Always resolves, even when the body never ends. After a short body the socket is reusable.
 */
function readBeginning(request: ClientRequest, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(limit);
      if (!response.complete) request.destroy();
      resolve(storable(Buffer.concat(chunks).subarray(0, ANSWER_BYTES)));
    };
    const limit = setTimeout(finish, ANSWER_TIMEOUT_MS);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES) finish();
    });
    response.once('end', finish);
    response.once('close', finish);
    response.once('error', finish);
  });
}

/** Invalid UTF-8 and U+0000, which PostgreSQL refuses, become U+FFFD. */
function storable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd');
}

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/**
 * Asks name servers directly. The lookup of the operating system would occupy one of the four shared threads of Node, and a
 * few slow names would delay all other work.
 */
async function resolveByDns(name: string, signal: AbortSignal): Promise<string[]> {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    return answers.flatMap(answer => (answer.status === 'fulfilled' ? answer.value : []));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function errorText(error: unknown, timeout: AbortSignal, { timeoutMs, signal }: OutgoingRequest): string {
  if (error instanceof Refused) return `Refused: ${error.message}.`;
  if (signal?.aborted) return 'Aborted: the service was stopping.';
  if (timeout.aborted) return `No answer within ${timeoutMs / 1000} seconds.`;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? `Not reached: ${code}.` : 'Not reached.';
}
