// Long-running transactions of other sessions on this database, such as a backup's. A migration cannot change tables that they have read
// until they end.
import type { Sql } from './database.ts';

type OpenTransaction = { readonly pid: number; readonly since: Date };

/** The first wait of a migration for a lock: everybody who needs that table waits behind it, and fails when that takes longer. */
export const LOCK_WAIT_MS = 300;
/**
 * The wait doubles with each try up to this. Longer than the second after which the server detects deadlocks: under a shorter limit, a
 * transaction that holds one table and waits for another that the migration holds would win every time.
 */
export const MAX_LOCK_WAIT_MS = 3_000;
const MAX_NAMED = 10;

/** Transactions open for longer than the first wait, oldest first. A role without pg_read_all_stats sees only its own. */
export function readOpenTransactions(sql: Sql): Promise<OpenTransaction[]> {
  return sql.query<OpenTransaction>(
    `select pid, xact_start as since from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and backend_type = 'client backend' and xact_start <= clock_timestamp() - make_interval(secs => $1)
      order by xact_start limit ${MAX_NAMED}`,
    [LOCK_WAIT_MS / 1_000],
  );
}

export function describeTransaction({ pid, since }: OpenTransaction): string {
  return `pid ${pid} since ${since.toISOString()}`;
}
