// The prices of a live service: the median of several HTTP sources, which are read concurrently.
import type { Currency } from '../lib/currency.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { askSource, type HttpSource, type Question, type Reading } from './fetch.ts';
import { judge, type Limits } from './median.ts';
import { noPrice, type PriceSource } from './price.ts';

type Options = Limits & { readonly sources: readonly HttpSource[]; readonly timeoutMs?: number };

const TIMEOUT_MS = 3_000;
/** Requests within this time share the readings of the first one. */
const CACHE_MS = 2_000;

/** Refuses a price without a majority of fresh ones, and as `not_configured` without any source. */
export function httpPrices({ log }: { readonly log: Log }, options: Options): PriceSource {
  const { sources, timeoutMs = TIMEOUT_MS } = options;
  const name = 'median';
  const cached = new Map<string, { readonly askedAt: Date; readonly readings: Promise<Reading[]> }>();

  async function ask(question: Question): Promise<Reading[]> {
    const readings = await Promise.all(sources.map(source => askSource(source, question, timeoutMs)));
    for (const reading of readings) {
      if ('failure' in reading)
        log.warn('a price source failed; the others decide', {
          priceSource: reading.source,
          reason: reading.failure,
        });
    }
    return readings;
  }

  /** Shares readings between requests within `CACHE_MS`; each request checks their age again. */
  function readingsOf(symbol: string, currency: Currency, now: Date): Promise<Reading[]> {
    const key = `${symbol} ${currency}`;
    const entry = cached.get(key);
    const ageMs = entry ? now.getTime() - entry.askedAt.getTime() : Number.NaN;
    if (entry && ageMs >= 0 && ageMs < CACHE_MS) return entry.readings;
    const readings = ask({ symbol, currency, now });
    cached.set(key, { askedAt: now, readings });
    return readings;
  }

  return {
    name,
    async price(symbol, currency, now) {
      if (sources.length === 0) {
        throw new AppError('not_configured', 'No price source is configured: set TRILHO_PRICE_SOURCES.');
      }
      const verdict = judge(await readingsOf(symbol, currency, now), options, now);
      if (!('refusal' in verdict)) return { ...verdict, source: name };
      log.warn('no reliable price; the request is refused', { symbol, currency, reason: verdict.refusal });
      throw noPrice(symbol, currency);
    },
  };
}
