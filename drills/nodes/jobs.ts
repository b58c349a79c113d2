// The jobs that a killed node was running: how long until they went on, on another node or on a new one.
import { setTimeout as wait } from 'node:timers/promises';
import { QUEUE_SCHEMA } from '../../src/jobs/boss.ts';
import type { Sql } from '../../src/storage/database.ts';

export type OrphanedJobs = {
  /** Call it right after a kill. */
  watch(): void;
  /** How many there were. */
  count(): number;
  longestMs(): number;
  /** Resolves when all of them went on, or with what did not. */
  end(): Promise<string[]>;
};

type Job = { readonly name: string; readonly id: string };

const LOOK_MS = 250;
/** Four times what is promised: the machine may be busy, and the database may be killed meanwhile. */
export const GO_ON_LIMIT_MS = 120_000;

export function watchOrphanedJobs(db: Sql): OrphanedJobs {
  const watches: Promise<string[]>[] = [];
  let count = 0;
  let longestMs = 0;

  /** Of the jobs that ran at that moment, those without a sign of life since. */
  async function silentSince(killedAt: Date, jobs: readonly Job[]): Promise<Job[]> {
    return db.query<Job>(
      `select job.name, job.id::text from ${QUEUE_SCHEMA}.job
         join unnest($1::text[], $2::uuid[]) as running (name, id) on running.name = job.name and running.id = job.id
        where job.state <> 'completed' and coalesce(job.heartbeat_on, job.started_on) <= $3`,
      [jobs.map(({ name }) => name), jobs.map(({ id }) => id), killedAt],
    );
  }

  async function follow(): Promise<string[]> {
    const killedMs = performance.now();
    let running: { readonly at: Date; readonly jobs: readonly Job[] } | undefined;
    let left: readonly Job[] = [];
    while (performance.now() - killedMs < GO_ON_LIMIT_MS) {
      try {
        running ??= await runningJobs(db);
        left = await silentSince(running.at, running.jobs);
        if (left.length === 0) return [];
        longestMs = Math.max(longestMs, performance.now() - killedMs);
      } catch {
        // The database is away: looked at again.
      }
      await wait(LOOK_MS);
    }
    return left.map(
      ({ name, id }) => `job ${name} ${id} of a killed node did not go on within ${GO_ON_LIMIT_MS / 1_000} s`,
    );
  }

  return {
    watch: () => {
      watches.push(follow());
    },
    count: () => count,
    longestMs: () => longestMs,
    end: async () => (await Promise.all(watches)).flat(),
  };

  async function runningJobs(sql: Sql) {
    const jobs = await sql.query<Job & { at: Date }>(
      `select name, id::text, clock_timestamp() as at from ${QUEUE_SCHEMA}.job where state = 'active'`,
    );
    count += jobs.length;
    return { at: jobs[0]?.at ?? new Date(0), jobs };
  }
}
