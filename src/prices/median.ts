// Computes the median of the fresh readings of a price, or refuses.
import { MAX_DECIMALS, parseUnits, tenTo } from '../lib/decimals.ts';
import type { Reading } from './fetch.ts';
import type { PriceInput } from './price.ts';

export type Limits = {
  readonly maxAgeSeconds: number;
  /** The maximum distance of a fresh reading from the median, in percent, as decimal text. */
  readonly maxSpreadPercent: string;
};

type Verdict =
  | { readonly value: string; readonly at: Date; readonly inputs: readonly PriceInput[] }
  | { readonly refusal: 'too few fresh prices' | 'prices too far apart' };

/** How far the clock of a source may be ahead of this service. */
const MAX_AHEAD_MS = 60_000;
const PERCENT_DECIMALS = 4;

/**
 * The median of the fresh readings; of two in the middle, the higher one. Refuses when the fresh readings are not a
 * majority of all sources, or when one of them is too far from the median. The price has the time of its oldest fresh
 * reading.
 */
export function judge(readings: readonly Reading[], limits: Limits, now: Date): Verdict {
  const answered = readings.filter(reading => 'value' in reading);
  const inputs = answered.map(({ source, value, at }): PriceInput => {
    const leftOut = staleness(at, limits, now);
    return { source, value, at: at.toISOString(), ...(leftOut && { leftOut }) };
  });
  const fresh = answered
    .filter(({ at }) => staleness(at, limits, now) === undefined)
    .map(({ value, at }) => ({ value, at, units: unitsOf(value) }))
    .sort((a, b) => (a.units < b.units ? -1 : a.units > b.units ? 1 : 0));
  const middle = fresh[Math.floor(fresh.length / 2)];
  if (!middle || fresh.length * 2 <= readings.length) return { refusal: 'too few fresh prices' };
  const isTooFar = ({ units }: { units: bigint }) => {
    const distance = units > middle.units ? units - middle.units : middle.units - units;
    return distance * tenTo(PERCENT_DECIMALS) * 100n > middle.units * spreadUnits(limits);
  };
  if (fresh.some(isTooFar)) return { refusal: 'prices too far apart' };
  const at = new Date(Math.min(...fresh.map(reading => reading.at.getTime())));
  return { value: middle.value, at, inputs };
}

function staleness(at: Date, { maxAgeSeconds }: Limits, now: Date): PriceInput['leftOut'] {
  const ageMs = now.getTime() - at.getTime();
  if (ageMs > maxAgeSeconds * 1000) return 'too_old';
  return ageMs < -MAX_AHEAD_MS ? 'in_the_future' : undefined;
}

function unitsOf(value: string): bigint {
  return parseUnits(value, MAX_DECIMALS)!;
}

function spreadUnits({ maxSpreadPercent }: Limits): bigint {
  return parseUnits(maxSpreadPercent, PERCENT_DECIMALS)!;
}
