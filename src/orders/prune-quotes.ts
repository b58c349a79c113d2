// Removes quotes that no order has used. A used one stays with its order: it says how the price came about.
import type { Duration } from '../lib/date-times.ts';
import { uuidV7Of } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';
import { PRUNE_BATCH_SIZE, type Prune } from '../storage/pruning.ts';

/** A quote is used within minutes or never, so each is looked at once: used ones are not read again by every run. */
export function pruneQuotes(keep: Duration | 'forever'): Prune {
  return {
    kind: 'quotes',
    keep,
    step: async (db, before) => {
      const [done] = await db.query<{ removed: string; looked: string }>(
        `with looked as materialized (
           select q.id from pruning p, quotes q where q.id > p.quotes_done and q.id < $1 order by q.id limit $2
         ), gone as (
           delete from quotes q using looked l
            where q.id = l.id and not exists (select from quote_uses u where u.quote_id = q.id)
              and not exists (select from orders o where o.quote_id = q.id)
           returning q.id
         ), moved as (
           update pruning set quotes_done = (select id from looked order by id desc limit 1)
            where exists (select from looked)
         )
         select (select count(*) from gone) as removed, (select count(*) from looked) as looked`,
        [uuidV7Of(before, new Uint8Array(10)), PRUNE_BATCH_SIZE],
      );
      const { removed, looked } = done!;
      return { removed: Number(removed), next: Number(looked) < PRUNE_BATCH_SIZE ? undefined : 'more' };
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
