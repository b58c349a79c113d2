// The background work of all modules: in loops while the service runs, or once when it is asked for.
import { hasNoJobs, type NewerJobs, type Queue } from '../jobs/queue.ts';
import { type Sweep, startSweeping } from '../jobs/sweep.ts';
import type { Module } from '../module.ts';
import { ALL_JOBS } from '../nouns.ts';
import type { Sql } from '../storage/database.ts';
import { type Prune, pruneDue, startPruning } from '../storage/pruning.ts';

type Deps = Omit<Parameters<typeof startSweeping>[0], 'sweeps'> &
  Omit<Parameters<typeof startPruning>[0], 'prunes'> & { readonly queue: Queue };

type BackgroundWork = {
  readonly sweeps: readonly Sweep[];
  readonly prunes: readonly Prune[];
  /** Starts the loops. Jobs are stopped with the queue. */
  start(): { stop(): Promise<void> };
  runDueJobs(except?: NewerJobs): Promise<number>;
  hasNoJobs(tx: Sql, except: NewerJobs): Promise<boolean>;
  /** Everything that is due is done when it returns, except timers. */
  runDue(): Promise<number>;
  /** Removes or archives data past its retention. */
  removeOldRows(): Promise<void>;
};

export function backgroundWork(deps: Deps, modules: readonly Module[]): BackgroundWork {
  const { queue, beforeWork, observePruned } = deps;
  const jobs = modules.flatMap(module => module.jobs ?? []);
  const sweeps = modules.flatMap(module => module.sweeps ?? []);
  const background = modules.flatMap(module => module.background ?? []);
  const prunes = modules.flatMap(module => module.prunes ?? []);
  const names = ALL_JOBS.map(({ name }) => name);
  // Register the counters at the start.
  for (const { kind } of prunes) observePruned({ kind, count: 0 });
  const runDueJobs = (except?: NewerJobs) => queue.runDue(jobs, except);
  const runOnce = async (feedsJobs: boolean) => {
    let done = 0;
    for (const work of background) if ((work.feedsJobs ?? false) === feedsJobs) done += (await work.runDue?.()) ?? 0;
    return done;
  };
  return {
    sweeps,
    prunes,
    start: () => {
      queue.work(jobs);
      const loops = [startSweeping({ ...deps, sweeps }), startPruning({ ...deps, prunes })];
      for (const work of background) loops.push(work.start());
      // Concurrently: each may have to wait for a database that does not answer.
      const stop = async () => void (await Promise.all(loops.map(loop => loop.stop())));
      return { stop };
    },
    runDueJobs,
    hasNoJobs: (tx, except) => hasNoJobs(tx, names, except),
    runDue: async () => {
      await beforeWork?.();
      const fed = await runOnce(true);
      const ran = await runDueJobs();
      return fed + ran + (await runOnce(false));
    },
    removeOldRows: async () => void (await pruneDue({ ...deps, prunes })),
  };
}
