// Steps that go on where the last run of this process ended.
import type { Prune } from './pruning.ts';

/** A run looks at so many rows and no more: rows that are still needed would fill every run, and what lies behind them would stay. */
export function resumeSteps(step: Prune['step']): Prune['step'] {
  let last: string | undefined;
  return async (db, before, from = last) => {
    const done = await step(db, before, from);
    last = done.next;
    return done;
  };
}
