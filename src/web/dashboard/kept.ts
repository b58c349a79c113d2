// A cache for expensive answers that change slowly: requests within its time share one.
import type { Clock } from '../../lib/clock.ts';

const MAX_KEPT = 100;

/**
 * Wraps a function so that its answers are cached for a time of the machine's clock. Failures are not cached.
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
