// One HTTP request to a node: JSON-RPC calls in, their answers out. The URL may hold a key, so neither it nor the message of
// a foreign error is repeated.
import { nodeMessage } from '../node-message.ts';
import { at } from './read.ts';

export type Call = { readonly method: string; readonly params: readonly unknown[] };

export type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  /** The node refuses; its own message, for an operator. */
  | {
      readonly kind: 'refusal';
      readonly code: number;
      readonly message: string;
      /** Whether the revert data of the contract came with it. */
      readonly hasData?: true;
    }
  /** No answer, or one that cannot be read. The message is ours. */
  | { readonly kind: 'silence'; readonly message: string };

/** Answers in the order of the calls, or why there are no answers. `isBatchRefused`: the node accepts single calls only. */
export type Posted =
  | { readonly answers: readonly Answer[] }
  | { readonly message: string; readonly isBatchRefused?: true };

const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** Codes of a rate limit: they do not answer the question. */
const LIMIT_CODES = [429, -32_005, -32_097];

/** Some nodes put a word before it. */
const REVERT_DATA = /^(?:Reverted )?0x(?:[0-9a-f]{2})+$/i;

/** Never throws. */
export async function post(url: string, calls: readonly Call[], timeoutMs: number): Promise<Posted> {
  const asked = calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }));
  try {
    const response = await fetch(url, {
      method: 'POST',
      // A redirect is not followed: it could lead anywhere.
      redirect: 'manual',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(asked.length === 1 ? asked[0] : asked),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return { message: `status ${response.status}` };
    }
    const answer: unknown = JSON.parse(await textOf(response));
    if (asked.length > 1 && !Array.isArray(answer)) {
      const whole = readAnswer(answer);
      return whole.kind === 'refusal' ? { message: whole.message, isBatchRefused: true } : { message: 'not JSON-RPC' };
    }
    const given: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
    return { answers: asked.map(({ id }) => readAnswer(given.find(each => at(each, 'id') === id))) };
  } catch (error) {
    return { message: messageOf(error) };
  }
}

function readAnswer(answer: unknown): Answer {
  const error = at(answer, 'error');
  if (error !== undefined && error !== null) {
    const [code, message] = [at(error, 'code'), at(error, 'message')];
    if (typeof code !== 'number' || typeof message !== 'string') return { kind: 'silence', message: 'not JSON-RPC' };
    if (LIMIT_CODES.includes(code)) return { kind: 'silence', message: 'says that it is called too often' };
    const data = at(error, 'data');
    const hasData = typeof data === 'string' && REVERT_DATA.test(data);
    return { kind: 'refusal', code, message: nodeMessage(message), ...(hasData && { hasData }) };
  }
  const result = at(answer, 'result');
  return result === undefined ? { kind: 'silence', message: 'not JSON-RPC' } : { kind: 'result', result };
}

async function textOf(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new RangeError('The answer is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function messageOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'not JSON';
  if (error instanceof RangeError) return 'too large';
  if (!(error instanceof Error)) return 'unreachable';
  if (error.name === 'TimeoutError') return 'no answer in time';
  const code = at(error.cause, 'code');
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? `unreachable ${code}` : 'unreachable';
}
