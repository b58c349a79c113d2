// One guarded POST to an address that somebody else chose. Every address its name leads to is checked, the socket goes to the
// checked ones and nowhere else, and no redirect is followed.
import { Resolver } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Mode } from './mode.ts';
import { hostOf, isAddressAllowed, isLocalName, urlFault } from './outgoing-address.ts';

/** All addresses of a name; none when it has none. */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export type OutgoingRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** For everything: finding the address, connecting, sending, and the answer's first line. */
  readonly timeoutMs: number;
  /** Cuts it short. */
  readonly signal?: AbortSignal;
};

/** What came of it. `error` is a sentence that holds nothing of the other side's but a code. */
export type OutgoingAnswer = {
  readonly status?: number;
  readonly error?: string;
  /** The beginning of the answer, as text that can be stored. */
  readonly answer?: string;
  readonly latencyMs: number;
};

const ANSWER_BYTES = 1_024;
/** What the rest of a short answer may take once its first line is there. */
const ANSWER_TIMEOUT_MS = 1_000;

/** `resolve` is by DNS when absent. */
type Needs = { readonly mode: Mode; readonly resolve?: Resolve | undefined };

export async function sendOutgoing(
  { mode, resolve = resolveByDns }: Needs,
  request: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  const latencyMs = () => Math.round(performance.now() - started);
  try {
    const addresses = await checkedAddresses(request.url, { mode, resolve, signal });
    const { status, answer } = await exchange(request, addresses, signal);
    return { status, answer, latencyMs: latencyMs() };
  } catch (error) {
    return { error: wordsFor(error, timeout, request), latencyMs: latencyMs() };
  }
}

/**
 * What is wrong with a URL as an address to send to, as the end of a sentence about it; undefined when nothing is. A name that
 * has no address yet may get one, and is checked again with every request.
 */
export async function outgoingFault(
  { mode, resolve = resolveByDns }: Needs,
  text: string,
): Promise<string | undefined> {
  const fault = urlFault(text, mode);
  if (fault !== undefined) return fault;
  const host = hostOf(new URL(text));
  if (isIP(host) !== 0 || isLocalName(host)) return undefined;
  const addresses = await resolve(host, AbortSignal.timeout(DNS_TIMEOUT_MS)).catch(() => []);
  const isPublic = addresses.every(address => isAddressAllowed(address, mode));
  return isPublic ? undefined : 'must not lead to an address that is not public';
}

/** A refusal of ours: nothing was sent. */
class Refused extends Error {
  override readonly name = 'Refused';
}

type Guard = { readonly mode: Mode; readonly resolve: Resolve; readonly signal: AbortSignal };

/** Every address of the URL's host. One that is not allowed spoils them all: the next answer might put it first. */
async function checkedAddresses(text: string, { mode, resolve, signal }: Guard): Promise<readonly string[]> {
  const fault = urlFault(text, mode);
  if (fault !== undefined) throw new Refused(`the url ${fault}`);
  const host = hostOf(new URL(text));
  if (isIP(host) !== 0) return [host];
  const addresses = isLocalName(host) ? ['127.0.0.1', '::1'] : await resolve(host, signal);
  if (addresses.length === 0) throw new Refused('its name has no address');
  if (!addresses.every(address => isAddressAllowed(address, mode))) {
    throw new Refused('its name leads to an address that is not public');
  }
  return addresses;
}

function exchange(
  { url, headers, body }: OutgoingRequest,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<{ status: number; answer: string }> {
  const send = url.toLowerCase().startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const request = send(url, {
      method: 'POST',
      // Neither a proxy of the environment nor a socket that was opened for somebody else.
      agent: false,
      lookup: pinnedTo(addresses),
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
      signal,
    });
    request.once('response', response => {
      isAnswered = true;
      readBeginning(request, response).then(answer => resolve({ status: response.statusCode ?? 0, answer }));
    });
    // Once there is a status, what ends the rest is no fault any more.
    request.on('error', error => {
      if (!isAnswered) reject(error);
    });
    // Nobody asked for another protocol, and no answer comes after it.
    request.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Refused('it answered with another protocol'));
    });
    // However it ends, it ends: nobody waits for a socket that is gone.
    request.once('close', () => {
      if (!isAnswered) reject(new Refused('it went away without an answer'));
    });
    request.end(body);
  });
}

/** Answers with what was checked, whatever the name leads to by now. */
function pinnedTo(addresses: readonly string[]): LookupFunction {
  const found = addresses.map(address => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    if (options.all) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  };
}

/** The status is known: however the rest comes, and if it never does, this returns. */
function readBeginning(request: ClientRequest, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise(resolve => {
    const finish = () => {
      clearTimeout(impatience);
      request.destroy();
      resolve(storable(Buffer.concat(chunks).subarray(0, ANSWER_BYTES)));
    };
    const impatience = setTimeout(finish, ANSWER_TIMEOUT_MS);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES) finish();
    });
    response.once('close', finish);
    response.once('error', finish);
  });
}

/** Bytes that are no text, and the character that PostgreSQL cannot hold, become U+FFFD. */
function storable(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\u0000', '\ufffd');
}

const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/**
 * Asks name servers directly. The system's own way would wait in one of four threads that all of Node shares, and a few slow
 * names would hold up everybody.
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

function wordsFor(error: unknown, timeout: AbortSignal, { timeoutMs, signal }: OutgoingRequest): string {
  if (error instanceof Refused) return `Refused: ${error.message}.`;
  if (signal?.aborted) return 'Cut short by a stop of the service.';
  if (timeout.aborted) return `No answer within ${timeoutMs / 1000} seconds.`;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? `Not reached: ${code}.` : 'Not reached.';
}
