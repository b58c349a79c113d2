// Asking one price source over HTTP. Numbers are read as text, and whatever goes wrong is a word for the log: an address
// may hold a key, so neither it nor an error's message is repeated.
import type { Currency } from '../lib/currency.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { plainDecimal } from '../lib/decimals.ts';
import { parseExactJson, parseJsonPath, valueAt } from '../lib/exact-json.ts';

export type HttpSource = {
  readonly name: string;
  /** An address with {symbol}, {SYMBOL}, {currency} or {CURRENCY} in it; the two paths may have them too. */
  readonly url: string;
  /** Where the price stands in the answer, such as `result[0].price`. */
  readonly price: string;
  /** Where its time stands; absent, it is of the moment it was asked for. */
  readonly time?: string;
  /** Of a time that is a number; absent, seconds and milliseconds are told apart by their size. */
  readonly timeUnit?: TimeUnit;
};

export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** What a source said, or why it said nothing. */
export type Reading =
  | { readonly source: string; readonly value: string; readonly at: Date }
  | { readonly source: string; readonly silence: string };

export type Question = { readonly symbol: string; readonly currency: Currency; readonly now: Date };

const MAX_BODY_BYTES = 64 * 1024;

/** Asks a source once. Never throws: a source that fails is silent. */
export async function askSource(source: HttpSource, question: Question, timeoutMs: number): Promise<Reading> {
  try {
    const answer = parseExactJson(await fetchText(fill(source.url, question), timeoutMs));
    return { source: source.name, ...readAnswer(source, answer, question) };
  } catch (error) {
    return { source: source.name, silence: wordFor(error) };
  }
}

/** A reason of our own making, which may stand in the log. */
class Silence extends Error {
  override readonly name = 'Silence';
}

async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const response = await fetch(url, {
    // A redirect could lead anywhere; it is an answer other than 200.
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Silence(`status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new Silence('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(source: HttpSource, answer: unknown, question: Question): { value: string; at: Date } {
  const find = (path: string) => valueAt(answer, parseJsonPath(fill(path, question)) ?? []);
  const price = find(source.price);
  const value = typeof price === 'string' ? plainDecimal(price) : undefined;
  if (value === undefined || value === '0') throw new Silence('no price at its path');
  if (source.time === undefined) return { value, at: question.now };
  const time = find(source.time);
  const at = typeof time === 'string' ? readTime(time, source.timeUnit) : undefined;
  if (!at) throw new Silence('no time at its path');
  return { value, at };
}

/** Digits from the unit down to nanoseconds. */
const NANOSECOND_DIGITS = { s: 9, ms: 6, us: 3, ns: 0 } as const satisfies Record<TimeUnit, number>;
/** Seconds reach it in the year 5138, milliseconds passed it in 1973. */
const FIRST_MILLISECONDS = 10n ** 11n;
const LAST_MILLISECONDS = 10n ** 14n;

/** ISO 8601 text, or a count since 1970. */
function readTime(text: string, unit: TimeUnit | undefined): Date | undefined {
  const [whole, fraction = ''] = (plainDecimal(text) ?? '').split('.');
  if (!whole) return parseRfc3339(text);
  const scale = unit ?? (BigInt(whole) < FIRST_MILLISECONDS ? 's' : 'ms');
  const digits = NANOSECOND_DIGITS[scale];
  const nanoseconds = BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'));
  const ms = nanoseconds / 1_000_000n;
  return ms < LAST_MILLISECONDS ? new Date(Number(ms)) : undefined;
}

function fill(text: string, { symbol, currency }: Question): string {
  return text
    .replaceAll('{symbol}', symbol)
    .replaceAll('{SYMBOL}', symbol.toUpperCase())
    .replaceAll('{currency}', currency.toLowerCase())
    .replaceAll('{CURRENCY}', currency);
}

function wordFor(error: unknown): string {
  if (error instanceof Silence) return error.message;
  if (error instanceof SyntaxError) return 'not JSON';
  if ((error as Error).name === 'TimeoutError') return 'no answer in time';
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? `unreachable ${code}` : 'unreachable';
}
