// The prices of a live service: several sources asked at once, and the median of what they say.
import type { Currency } from '../lib/currency.ts';
import type { Log } from '../lib/log.ts';
import { askSource, type HttpSource, type Question, type Reading } from './fetch.ts';
import { judge, type Limits } from './median.ts';
import { noPrice, type PriceSource } from './price.ts';

type Options = Limits & { readonly sources: readonly HttpSource[]; readonly timeoutMs?: number };

const TIMEOUT_MS = 3_000;
/** Who asks again within this time gets what was read for the one before. */
const KEPT_MS = 2_000;

/** Prices by majority of the sources. Without a source, or a majority of them, it refuses. */
export function httpPrices({ log }: { readonly log: Log }, options: Options): PriceSource {
  const { sources, timeoutMs = TIMEOUT_MS } = options;
  const name = 'median';
  const flights = new Map<string, { readonly askedAt: Date; readonly readings: Promise<Reading[]> }>();

  async function ask(question: Question): Promise<Reading[]> {
    const readings = await Promise.all(sources.map(source => askSource(source, question, timeoutMs)));
    for (const reading of readings) {
      if ('silence' in reading)
        log.warn('a price source is silent', { priceSource: reading.source, reason: reading.silence });
    }
    return readings;
  }

  /** One flight for all who ask within the time; what it read is judged anew for each of them. */
  function readingsOf(symbol: string, currency: Currency, now: Date): Promise<Reading[]> {
    const key = `${symbol} ${currency}`;
    const flight = flights.get(key);
    const ageMs = flight ? now.getTime() - flight.askedAt.getTime() : Number.NaN;
    if (flight && ageMs >= 0 && ageMs < KEPT_MS) return flight.readings;
    const readings = ask({ symbol, currency, now });
    flights.set(key, { askedAt: now, readings });
    return readings;
  }

  return {
    name,
    async price(symbol, currency, now) {
      const verdict = judge(await readingsOf(symbol, currency, now), options, now);
      if (!('refusal' in verdict)) return { ...verdict, source: name };
      log.warn('no price', { reason: verdict.refusal });
      throw noPrice(symbol, currency);
    },
  };
}
