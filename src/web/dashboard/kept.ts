// Answers that cost much and change slowly: pages that ask within a while share one.
import type { Clock } from '../../lib/clock.ts';

const MAX_KEPT = 100;

/**
 * The function with its answers kept for a time of the machine's clock. One that failed is asked for again.
 *
 * @example
 * const figures = kept(machineClock, 30_000, (accountId: string) => readFigures(accountId));
 */
export function kept<T>(
  machineClock: Pick<Clock, 'now'>,
  keptMs: number,
  read: (name: string) => Promise<T>,
): (name: string) => Promise<T> {
  const answers = new Map<string, { readonly atMs: number; readonly answer: Promise<T> }>();
  return name => {
    const nowMs = machineClock.now().getTime();
    const known = answers.get(name);
    if (known && Math.abs(nowMs - known.atMs) < keptMs) return known.answer;
    if (answers.size >= MAX_KEPT) answers.clear();
    const answer = read(name);
    answer.catch(() => answers.delete(name));
    answers.set(name, { atMs: nowMs, answer });
    return answer;
  };
}
