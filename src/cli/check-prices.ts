// What the doctor finds about prices: whether each asset has a reliable one, and which sources did not answer.
import { SYMBOLS } from '../chains/asset.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { httpPrices } from '../prices/http.ts';
import { type Finding, right, warning, wrong } from './finding.ts';

/** A sandbox has fixed prices. */
export async function checkPrices({ mode, prices }: Config, log: Log): Promise<Finding[]> {
  if (mode !== 'live') return [];
  if (prices.sources.length === 0)
    return [warning('prices: no source; every quote is refused until TRILHO_PRICE_SOURCES is set')];
  const source = httpPrices({ log }, prices);
  return Promise.all(
    SYMBOLS.map(async symbol => {
      const of = `prices of ${symbol}`;
      try {
        const { value, inputs } = await source.price(symbol, 'BRL', systemClock.now());
        const unused = prices.sources.filter(({ name }) => !inputs.some(one => one.source === name && !one.leftOut));
        if (unused.length === 0) return right(`${of}: ${value} BRL, from every source`);
        return warning(
          `${of}: ${value} BRL, but not from ${unused.map(({ name }) => name).join(', ')}; the log says why`,
        );
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        return wrong(`${of}: ${error.message} The log says which source failed`);
      }
    }),
  );
}
