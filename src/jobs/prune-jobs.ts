// Removes jobs some time after they have ended.
import type { Duration } from '../lib/date-times.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';
import { QUEUE_SCHEMA } from './boss.ts';

/**
 * By our own SQL: pg-boss removes either single jobs, which would have to be found first, or all old ones in one statement. pg-boss writes
 * the database's time: after a move of the sandbox clock, jobs are removed as soon as they end.
 */
export function pruneJobs(keep: Duration | 'forever'): Prune {
  return {
    kind: 'jobs',
    keep,
    // Rows removed earlier are dead entries at the front of the index until vacuumed, so a run starts after them.
    step: async (db, before, from) => {
      const rows = await db.query<{ completed_on: Date }>(
        `with old as (
           select name, id from ${QUEUE_SCHEMA}.job
            where completed_on >= $1 and completed_on < $2 order by completed_on limit $3 for update skip locked
         ), removed as (
           delete from ${QUEUE_SCHEMA}.job j using old where j.name = old.name and j.id = old.id
           returning j.completed_on
         )
         select completed_on from removed order by completed_on`,
        [from ? new Date(from) : new Date(0), before, PRUNE_BATCH_SIZE],
      );
      const last = rows.at(-1)?.completed_on;
      return {
        removed: rows.length,
        next: rows.length < PRUNE_BATCH_SIZE ? undefined : last?.toISOString(),
      };
    },
    oldest: async sql => {
      const [row] = await sql.query<{ completed_on: Date }>(
        `select completed_on from ${QUEUE_SCHEMA}.job where completed_on is not null order by completed_on limit 1`,
      );
      return row?.completed_on;
    },
  };
}
