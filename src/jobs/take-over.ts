// Resumes jobs of a node that died at once. pg-boss would fail them, and a failed job waits for its retry, longer after each attempt; the
// death of a node is not a failure of the job.
import type { PgBoss } from 'pg-boss';
import type { Log } from '../lib/log.ts';
import type { Database } from '../storage/database.ts';
import { asBossDb, QUEUE_SCHEMA } from './boss.ts';

type Deps = {
  readonly boss: PgBoss;
  readonly db: Database;
  readonly log: Log;
  /** The jobs that this process runs: after an outage their heartbeats are old, too. */
  readonly ownJobs: () => readonly string[];
};

/** A worker touches its jobs every three seconds; one that has not done so for this long has died. */
const DEAD_AFTER_SECONDS = 10;
/** Jobs per transaction. */
const BATCH_SIZE = 500;
const MAX_BATCHES = 1_000;

/** Makes the jobs of workers that have died due, and calls `wake` for each queue that has some. */
export async function takeOverJobs(deps: Deps, names: readonly string[], wake: (name: string) => void): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const counts = await takeBatch(deps, names);
    for (const [name, count] of counts) {
      deps.log.info('jobs of a worker that died are resumed', { job: name, count });
      wake(name);
    }
    if ([...counts.values()].reduce((sum, count) => sum + count, 0) < BATCH_SIZE) return;
  }
}

async function takeBatch({ boss, db, ownJobs }: Deps, names: readonly string[]): Promise<Map<string, number>> {
  return db.transaction(async tx => {
    const jobs = await tx.query<{ name: string; id: string }>(
      `select name, id from ${QUEUE_SCHEMA}.job
        where state = 'active' and name = any($1) and heartbeat_on < now() - $2 * interval '1 second'
          and id <> all($3::uuid[])
        limit ${BATCH_SIZE} for update skip locked`,
      [names, DEAD_AFTER_SECONDS, ownJobs()],
    );
    const counts = new Map<string, number>();
    for (const [name, found] of Map.groupBy(jobs, job => job.name)) {
      const ids = found.map(({ id }) => id);
      // Cancelling and resuming puts a job back as it was before its attempt: it keeps its time and its number of attempts.
      await boss.cancel(name, ids, { db: asBossDb(tx) });
      await boss.resume(name, ids, { db: asBossDb(tx) });
      counts.set(name, ids.length);
    }
    return counts;
  });
}
