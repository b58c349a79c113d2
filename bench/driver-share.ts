// The row that compares the service with the driver's limit.
import { formatMs, formatPercent, formatRate, median } from './figures.ts';
import type { LoadResult } from './http-load.ts';
import type { Report } from './report.ts';

type Comparison = {
  readonly part: string;
  readonly measured: string;
  /** The rounds of both sides, in pairs. */
  readonly service: readonly LoadResult[];
  readonly driver: readonly LoadResult[];
  readonly minShare: number;
};

/** The share is the median over the rounds: a slow moment of the machine slows both sides of its round. */
export function addDriverShare(report: Report, { part, measured, service, driver, minShare }: Comparison): void {
  const shares = service.map(({ rate }, round) => rate / driver[round]!.rate);
  const share = median(shares);
  report.add({
    part,
    measured,
    result: summary(service),
    comparedWith: `${summary(driver)} by the driver alone`,
    ratio: formatPercent(share),
    goal: { text: `≥ ${formatPercent(minShare)}`, isMet: share >= minShare },
  });
}

/** The medians of rate and p99 over rounds. */
export function summary(rounds: readonly LoadResult[]): string {
  const rate = median(rounds.map(result => result.rate));
  const p99 = median(rounds.map(result => result.p99));
  return `${formatRate(rate)}, p99 ${formatMs(p99)}`;
}
