// How large the tables are, those apart that are pruned, that grow for ever, and that come and go with the work.
import type { Sql } from '../../src/storage/database.ts';

/** By retention settings. */
const PRUNED = [
  'idempotency_keys',
  'webhook_deliveries',
  'webhook_attempts',
  'events',
  'event_positions',
  'audit_log',
  'notifications',
  'quotes',
];
/** Money, which is never removed. */
const KEPT = ['charges', 'charge_methods', 'payments', 'refunds', 'ledger_entries', 'ledger_lines'];

export const LARGE_TABLES = [...PRUNED, ...KEPT];

export type Sizes = {
  /** Bytes, with indexes. */
  readonly pruned: number;
  readonly kept: number;
  /** The queue of jobs, whose retention goes by the clock of the server, and all other tables. */
  readonly rest: number;
  /** Rows of both kinds that were removed or changed and whose place is not free yet. */
  readonly deadRows: number;
  readonly liveRows: number;
  /** Bytes of each table that is pruned. */
  readonly each: ReadonlyMap<string, number>;
};

export async function readSizes(sql: Sql): Promise<Sizes> {
  await sql.query('select pg_stat_clear_snapshot()');
  const [row] = await sql.query<Record<Exclude<keyof Sizes, 'each'>, string>>(
    `select sum(size) filter (where relname = any($1)) as pruned, sum(size) filter (where relname = any($2)) as kept,
            sum(size) filter (where relname <> all($1 || $2)) as rest,
            sum(n_dead_tup) filter (where relname = any($1 || $2)) as "deadRows",
            sum(n_live_tup) filter (where relname = any($1 || $2)) as "liveRows"
       from (select relname, n_dead_tup, n_live_tup, pg_total_relation_size(relid) as size from pg_stat_user_tables) tables`,
    [PRUNED, KEPT],
  );
  const each = await sql.query<{ name: string; size: string }>(
    `select name, pg_total_relation_size(name::regclass) as size from unnest($1::text[]) as name order by size desc`,
    [PRUNED],
  );
  const { pruned, kept, rest, deadRows, liveRows } = row!;
  return {
    pruned: Number(pruned),
    kept: Number(kept),
    rest: Number(rest),
    deadRows: Number(deadRows),
    liveRows: Number(liveRows),
    each: new Map(each.map(({ name, size }) => [name, Number(size)])),
  };
}
