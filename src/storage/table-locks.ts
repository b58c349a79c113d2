// Which sessions of the server wait for a locked table. A lock of a row is another matter: payments of one charge take turns by it.
export type LockWait = {
  readonly pid: number;
  readonly waits_for_table: boolean;
  /** Sessions that hold what it waits for, or stand in line before it. */
  readonly blocked_by: readonly number[];
};

/** Of all databases of the server: one session may wait for another. */
export const LOCK_WAITS = `
  select pid, bool_or(locktype = 'relation') as waits_for_table, pg_blocking_pids(pid) as blocked_by
  from pg_locks
  where not granted and waitstart < clock_timestamp() - interval '400 milliseconds'
  group by pid`;

/** The sessions that wait for a table, and those that wait for a row which one of them holds. */
export function stuckOnTables(waits: readonly LockWait[]): ReadonlySet<number> {
  const stuck = new Set(waits.filter(wait => wait.waits_for_table).map(({ pid }) => pid));
  for (let before = -1; before < stuck.size; ) {
    before = stuck.size;
    for (const { pid, blocked_by } of waits) if (blocked_by.some(other => stuck.has(other))) stuck.add(pid);
  }
  return stuck;
}
