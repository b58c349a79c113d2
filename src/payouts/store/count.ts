// The SQL that counts payouts, for the metrics.
import type { Sql } from '../../storage/database.ts';

export type WatchedCount = {
  readonly network: string;
  readonly state: string;
  readonly count: number;
  readonly oldestAt: Date;
};

/** Payouts that are still watched, by network and state. Counts the `limit` oldest, so that it costs the same at any size. */
export async function countWatchedPayouts(sql: Sql, limit: number): Promise<WatchedCount[]> {
  const rows = await sql.query<{ network: string; state: string; count: string; oldest_at: Date }>(
    `select network, state, count(*), min(created_at) as oldest_at
       from (select network, state, created_at from payouts
              where state in ('open', 'done') order by created_at limit $1) watched
      group by network, state`,
    [limit],
  );
  return rows.map(row => ({
    network: row.network,
    state: row.state,
    count: Number(row.count),
    oldestAt: row.oldest_at,
  }));
}
