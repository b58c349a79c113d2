// Retention periods of rows that nothing needs any more.
import { addDuration, type Duration, parseDuration } from '../date-times.ts';
import { type Kind, kindOf } from './kinds.ts';

/** `forever`: never removed. */
type Kept = Duration | 'forever';

const DAY_MS = 86_400_000;
const LONGEST_MS = 18_263 * DAY_MS;

/** A shorter time would remove idempotency keys that callers still repeat, or deliveries that they still look for. */
export const keptFor: Kind<Kept> = kindOf('a length of time from P1D to P50Y such as P30D, or forever', given => {
  if (given === 'forever') return given;
  const duration = parseDuration(given);
  const lengthMs = duration ? lengthOf(duration) : Number.NaN;
  return lengthMs >= DAY_MS && lengthMs <= LONGEST_MS ? duration : undefined;
});

export function shorterOf(a: Kept, b: Kept): Kept {
  if (a === 'forever') return b;
  return b === 'forever' || lengthOf(a) < lengthOf(b) ? a : b;
}

/** Milliseconds from a day in January, as months differ in length. */
function lengthOf(duration: Duration): number {
  return addDuration(new Date(0), duration)?.getTime() ?? Number.POSITIVE_INFINITY;
}
