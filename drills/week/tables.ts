// The sizes of the tables, separately for those that are pruned, those that grow forever, and those that follow the work.
import { QUEUE_SCHEMA } from '../../src/jobs/boss.ts';
import { BLOCK_SIZE } from '../../src/storage/archive/block.ts';
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
  'object_traces',
];
/** Money, which is never removed. */
const KEPT = ['charges', 'charge_methods', 'payments', 'refunds', 'ledger_entries', 'ledger_lines'];

export const LARGE_TABLES = [...PRUNED, ...KEPT];

export type Sizes = {
  /** Bytes, with indexes. */
  readonly pruned: number;
  readonly kept: number;
  /** The queue with its finished jobs, which are removed by the clock of the server, for which a week is minutes. */
  readonly jobs: number;
  readonly rest: number;
  /** Dead rows of both kinds. */
  readonly deadRows: number;
  readonly liveRows: number;
  /** Bytes of each table that is pruned. */
  readonly each: ReadonlyMap<string, number>;
  /** Its rows, counted. */
  readonly rows: ReadonlyMap<string, number>;
  /** Charges whose events stay, and all others. */
  readonly openCharges: number;
  readonly endedCharges: number;
};

export async function readSizes(sql: Sql): Promise<Sizes> {
  await sql.query('select pg_stat_clear_snapshot()');
  const [row] = await sql.query<Record<keyof Omit<Sizes, 'each' | keyof Counts>, string>>(
    `select sum(size) filter (where relname = any($1)) as pruned, sum(size) filter (where relname = any($2)) as kept,
            sum(size) filter (where schemaname = $3) as jobs,
            sum(size) filter (where relname <> all($1 || $2) and schemaname <> $3) as rest,
            sum(n_dead_tup) filter (where relname = any($1 || $2)) as "deadRows",
            sum(n_live_tup) filter (where relname = any($1 || $2)) as "liveRows"
       from (select schemaname, relname, n_dead_tup, n_live_tup, pg_total_relation_size(relid) as size from pg_stat_user_tables) tables`,
    [PRUNED, KEPT, QUEUE_SCHEMA],
  );
  const each = await sql.query<{ name: string; size: string }>(
    `select name, pg_total_relation_size(name::regclass) as size from unnest($1::text[]) as name order by size desc`,
    [PRUNED],
  );
  const { pruned, kept, jobs, rest, deadRows, liveRows } = row!;
  return {
    ...(await countRows(sql)),
    pruned: Number(pruned),
    kept: Number(kept),
    jobs: Number(jobs),
    rest: Number(rest),
    deadRows: Number(deadRows),
    liveRows: Number(liveRows),
    each: new Map(each.map(({ name, size }) => [name, Number(size)])),
  };
}

type Counts = Pick<Sizes, 'rows' | 'openCharges' | 'endedCharges'>;

async function countRows(sql: Sql): Promise<Counts> {
  const counts = PRUNED.map(table => `select '${table}' as name, count(*)::int as count from ${table}`);
  const rows = await sql.query<{ name: string; count: number }>(counts.join(' union all '));
  const [charges] = await sql.query<Omit<Counts, 'rows'>>(
    `select count(*) filter (where is_open)::int as "openCharges", count(*) filter (where not is_open)::int as "endedCharges"
       from (select state in ('CREATING', 'ACTIVE', 'OVERDUE') as is_open from charges) charges`,
  );
  return { ...charges!, rows: new Map(rows.map(({ name, count }) => [name, count])) };
}

/**
 * Rows that should be in the archive. They go in blocks, so that less than one may wait; and of events a block more, since their
 * positions are only nearly in the order of their time. Events that were archived and are still needed here are not counted.
 */
export async function whatIsNotArchived(
  sql: Sql,
  before: { readonly audit: Date; readonly events: Date },
): Promise<string[]> {
  const [row] = await sql.query<{ audit: number; events: number }>(
    `select (select count(*)::int from audit_log where at < $1) as audit,
            (select count(*)::int from event_positions p
               join events e on e.id = p.event_id and e.account_id = p.account_id
              where p.position > (select position from archive_cuts where kind = 'events') and e.occurred_at < $2) as events`,
    [before.audit, before.events],
  );
  const { audit, events } = row!;
  return [
    ...(audit < BLOCK_SIZE ? [] : [`${audit} old lines of the audit log were not archived`]),
    ...(events < BLOCK_SIZE * 2 ? [] : [`${events} old events were not archived`]),
  ];
}
