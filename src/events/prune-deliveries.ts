// Removes old deliveries of webhooks and their attempts. Pending ones stay, however old, unless their webhook was deleted.
import type { Duration } from '../lib/date-times.ts';
import { uuidV7Of } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';
import { resumeSteps } from '../storage/resume-steps.ts';

const FIRST = '00000000-0000-0000-0000-000000000000';
/** When a delivery was delivered or given up, or is due. */
const KEPT_FROM = 'greatest(d.created_at, d.delivered_at, d.next_at)';

/** Ids begin with the time of their delivery, so its primary key is in the order of time. */
export function pruneDeliveries(keep: Duration | 'forever'): Prune {
  return {
    kind: 'deliveries',
    keep,
    // Pending ones may lie in between.
    step: resumeSteps(async (db, before, from = FIRST) => {
      const [done] = await db.query<{ removed: string; looked: string; last: string | null }>(
        `with looked as materialized (
           select id, account_id from webhook_deliveries where id > $1 and id < $2 order by id limit $4
         ), old as materialized (
           select d.id, d.account_id from webhook_deliveries d
             join looked l on l.id = d.id and l.account_id = d.account_id
             join webhooks w on w.id = d.webhook_id
            where (d.state <> 'pending' or w.deleted_at is not null)
              and ${KEPT_FROM} < $3
              for update of d skip locked
         ), attempts as (
           delete from webhook_attempts a using old where a.delivery_id = old.id and a.account_id = old.account_id
         ), deliveries as (
           delete from webhook_deliveries d using old where d.id = old.id and d.account_id = old.account_id
           returning d.id
         )
         select (select count(*) from deliveries) as removed, (select count(*) from looked) as looked,
                (select id from looked order by id desc limit 1) as last`,
        [from, firstIdOf(before), before, PRUNE_BATCH_SIZE],
      );
      const { removed, looked, last } = done!;
      return {
        removed: Number(removed),
        next: Number(looked) < PRUNE_BATCH_SIZE ? undefined : (last ?? undefined),
      };
    }),
    oldest: findOldest,
  };
}

/** The smallest id of a time. */
function firstIdOf(at: Date): string {
  return uuidV7Of(at, new Uint8Array(10));
}

/** The oldest among the first by id, since one of those may have been requested again and count as new. */
async function findOldest(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    `select min(${KEPT_FROM}) as at from (select * from webhook_deliveries order by id limit ${PRUNE_BATCH_SIZE}) d`,
  );
  return row?.at ?? undefined;
}
