// Reads one price source over HTTP. Numbers are read as text. A failure becomes a short reason for the log: the URL may
// contain a key, so neither the URL nor the message of a foreign error is logged.
import type { Currency } from '../lib/currency.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { plainDecimal } from '../lib/decimals.ts';
import { parseExactJson, parseJsonPath, valueAt } from '../lib/exact-json.ts';

export type HttpSource = {
  readonly name: string;
  /** A URL, which may contain {symbol}, {SYMBOL}, {currency} or {CURRENCY}; the two paths may too. */
  readonly url: string;
  /** The path of the price in the answer, such as `result[0].price`. */
  readonly price: string;
  /** The path of its time; when absent, the time of the request is used. */
  readonly time?: string;
  /** The unit of a numeric time; when absent, seconds and milliseconds are distinguished by their size. */
  readonly timeUnit?: TimeUnit;
};

type TimeUnit = 's' | 'ms' | 'us' | 'ns';

/** The price of a source, or why it is missing. */
export type Reading =
  | { readonly source: string; readonly value: string; readonly at: Date }
  | { readonly source: string; readonly failure: string };

export type Question = { readonly symbol: string; readonly currency: Currency; readonly now: Date };

const MAX_BODY_BYTES = 64 * 1024;

/** Reads a source once. Never throws: a failure is part of the result. */
export async function askSource(source: HttpSource, question: Question, timeoutMs: number): Promise<Reading> {
  try {
    const answer = parseExactJson(await fetchText(fill(source.url, question), timeoutMs));
    return { source: source.name, ...readAnswer(source, answer, question) };
  } catch (error) {
    return { source: source.name, failure: reasonOf(error) };
  }
}

/** A failure whose message is safe to log. */
class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
}

async function fetchText(url: string, timeoutMs: number): Promise<string> {
  const response = await fetch(url, {
    // A redirect is not followed: it could lead anywhere. It counts as a failure, like every status but 200.
    redirect: 'manual',
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new SourceFailure(`status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) throw new SourceFailure('too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function readAnswer(source: HttpSource, answer: unknown, question: Question): { value: string; at: Date } {
  const find = (path: string) => valueAt(answer, parseJsonPath(fill(path, question)) ?? []);
  const price = find(source.price);
  const value = typeof price === 'string' ? plainDecimal(price) : undefined;
  if (value === undefined || value === '0') throw new SourceFailure('no price at its path');
  if (source.time === undefined) return { value, at: question.now };
  const time = find(source.time);
  const at = typeof time === 'string' ? readTime(time, source.timeUnit) : undefined;
  if (!at) throw new SourceFailure('no time at its path');
  return { value, at };
}

/** The number of decimal digits from the unit to nanoseconds. */
const NANOSECOND_DIGITS = { s: 9, ms: 6, us: 3, ns: 0 } as const satisfies Record<TimeUnit, number>;
/** The limit between seconds and milliseconds: as seconds it is the year 5138, as milliseconds 1973. */
const FIRST_MILLISECONDS = 10n ** 11n;
const LAST_MILLISECONDS = 10n ** 14n;

/** Reads ISO 8601 text, or a number since 1970. */
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

function reasonOf(error: unknown): string {
  if (error instanceof SourceFailure) return error.message;
  if (error instanceof SyntaxError) return 'not JSON';
  if ((error as Error).name === 'TimeoutError') return 'no answer in time';
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code) ? `unreachable ${code}` : 'unreachable';
}
