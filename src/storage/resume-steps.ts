// Steps that continue where the last run of this process ended.
import type { Prune } from './pruning.ts';

/**
 * Continues each run where the last one ended. A run examines a limited number of rows: from the start, rows that are still needed would
 * fill every run, and later ones would never be removed.
 */
export function resumeSteps(step: Prune['step']): Prune['step'] {
  let last: string | undefined;
  return async (db, before, from = last) => {
    const done = await step(db, before, from);
    last = done.next;
    return done;
  };
}
