// How near the service comes to its limit.
import { median, ms, percent, perSecond } from './figures.ts';
import type { LoadResult } from './load.ts';
import type { Report } from './report.ts';

const LEAST_SHARE = 0.6;

/** The share is the median of the shares of the turns: whatever the machine does, it does to both sides of a turn. */
export function addShare(
  report: Report,
  what: string,
  ours: readonly LoadResult[],
  limit: readonly LoadResult[],
  isGoal = true,
): void {
  const [rate, most] = [ours, limit].map(side => median(side.map(result => result.rate))) as [number, number];
  const [p99, least] = [ours, limit].map(side => median(side.map(result => result.p99))) as [number, number];
  const share = median(ours.map((result, turn) => result.rate / limit[turn]!.rate));
  report.add({
    part: 'limit',
    what,
    figure: `${perSecond(rate)}, p99 ${ms(p99)}`,
    beside: `${perSecond(most)}, p99 ${ms(least)} by the driver alone`,
    ratio: percent(share),
    ...(isGoal && { goal: `≥ ${percent(LEAST_SHARE)}`, met: share >= LEAST_SHARE }),
  });
}
