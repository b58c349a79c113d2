// Removes quotes that no order has used. A used one stays with its order, as the record of its price.
import type { Duration } from '../lib/date-times.ts';
import { uuidV7Of } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';

/**
 * A quote is used within minutes or never, so each is examined once, and used ones are not read again by every run. The next run starts at
 * the first quote that another transaction had locked.
 */
export function pruneQuotes(keep: Duration | 'forever'): Prune {
  return {
    kind: 'quotes',
    keep,
    step: async (db, before) => {
      const [done] = await db.query<{ removed: string; looked: string; is_held: boolean }>(
        `with looked as materialized (
           select q.id from pruning p, quotes q where q.id > p.quotes_done and q.id < $1 order by q.id limit $2
         ), free as materialized (
           select q.id from quotes q join looked l on l.id = q.id for update of q skip locked
         ), held as materialized (
           select id from looked where id not in (select id from free) order by id limit 1
         ), gone as (
           delete from quotes q using free f
            where q.id = f.id and not exists (select from quote_uses u where u.quote_id = q.id)
              and not exists (select from orders o where o.quote_id = q.id)
           returning q.id
         ), done as materialized (
           select id from looked where not exists (select from held where held.id <= looked.id) order by id desc limit 1
         ), moved as (
           update pruning set quotes_done = done.id from done
         )
         select (select count(*) from gone) as removed, (select count(*) from looked) as looked,
                exists (select from held) as is_held`,
        [uuidV7Of(before, new Uint8Array(10)), PRUNE_BATCH_SIZE],
      );
      const { removed, looked, is_held: isHeld } = done!;
      return { removed: Number(removed), next: isHeld || Number(looked) < PRUNE_BATCH_SIZE ? undefined : 'more' };
    },
    oldest: findOldest,
  };
}

async function findOldest(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ created_at: Date }>(
    `select created_at from quotes where id > (select quotes_done from pruning) order by id limit 1`,
  );
  return row?.created_at;
}
