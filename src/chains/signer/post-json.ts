// One POST of JSON to a signer and its whole answer, within a limit. It is sent again on a new connection when a kept-alive one was closed:
// signing the same bytes twice is harmless.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

export type PostDeps = {
  readonly url: URL;
  readonly agent: HttpAgent;
  readonly timeoutMs: number;
};

/** `failure` is our own text, with at most an error code of the other side. `json` is undefined if the body is not JSON. */
type PostAnswer = { readonly status: number; readonly json: unknown } | { readonly failure: string };

const SIGNER_TIMEOUT_MS = 3_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
const KEEP_ALIVE = { keepAlive: true, maxSockets: 16, timeout: 30_000 } as const;

export function postDeps(url: string, tls: SecureContextOptions = {}, timeoutMs = SIGNER_TIMEOUT_MS): PostDeps {
  const target = new URL(url);
  // Its own agent, so that a proxy from the environment is not used.
  const agent = target.protocol === 'https:' ? new HttpsAgent({ ...KEEP_ALIVE, ...tls }) : new HttpAgent(KEEP_ALIVE);
  return { url: target, agent, timeoutMs };
}

/** Never rejects. */
export async function postJson(deps: PostDeps, body: string): Promise<PostAnswer> {
  const signal = AbortSignal.timeout(deps.timeoutMs);
  const first = await postOnce(deps, body, signal);
  const answer = 'failure' in first && first.isStale && !signal.aborted ? await postOnce(deps, body, signal) : first;
  return signal.aborted && 'failure' in answer ? { failure: `nothing within ${deps.timeoutMs / 1000} s` } : answer;
}

type PostedOnce =
  | { readonly status: number; readonly json: unknown }
  | { readonly failure: string; readonly isStale: boolean };

function postOnce({ url, agent }: PostDeps, body: string, signal: AbortSignal): Promise<PostedOnce> {
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise(resolve => {
    let isAnswered = false;
    const fail = (error: unknown) => resolve({ failure: codeOf(error), isStale: outgoing.reusedSocket && !isAnswered });
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = send(url, { method: 'POST', agent, signal, headers });
    outgoing.once('response', response => {
      isAnswered = true;
      readAll(response).then(text => resolve({ status: response.statusCode ?? 0, json: parseJson(text) }), fail);
    });
    outgoing.on('error', fail);
    outgoing.end(body);
  });
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw Object.assign(new Error('The answer is too large.'), { code: 'TOO_LARGE' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? code : 'no connection';
}
