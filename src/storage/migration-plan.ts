// What missing migrations will do, before they do it. The server itself is asked: a scratch schema gets the tables as they are, empty,
// the migrations run there, and their locks, files and changes of rows are read. Then the scratch schema is removed.
import type { Database, Sql } from './database.ts';
import { appliedMigrations, type MigrationStep, pendingSteps, readMigrations, refuseUnknown } from './migrate.ts';

/** What a migration does to a table that there is already. */
export type PlannedTable = {
  readonly name: string;
  /** What has to wait until the last of the migrations is done: they are one transaction. */
  readonly blocks: 'reads and writes' | 'writes' | 'nothing';
  readonly isRewritten: boolean;
  /** Whether rows are inserted, changed or deleted: other writers of the same rows wait. */
  readonly changesRows: boolean;
  /** How often all its rows are read, beside that for its indexes. */
  readonly scans: number;
  readonly newIndexes: number;
  /** Absent when the server has not counted them yet. */
  readonly size?: TableSize | undefined;
};

/** With indexes and large values, as of the last vacuum or analyze. */
export type TableSize = { readonly rows: number; readonly bytes: number };

export type PlannedMigration = { readonly name: string; readonly tables: readonly PlannedTable[] };

const SCRATCH = 'trilho_plan';
/** A setting of the transaction: the tables whose rows a migration inserts, changes or deletes, by their ids. */
const CHANGED = 'trilho_plan.changed';

/** Not told by locks: a table that one migration has locked is locked for those after it, too. */
const NOTE_CHANGES = `
  create function note_change() returns trigger language plpgsql as $$
  begin
    perform set_config('${CHANGED}', current_setting('${CHANGED}') || ' ' || tg_relid, true);
    return null;
  end
  $$;
  do $$
  declare name text;
  begin
    for name in select relname from pg_class where relnamespace = '${SCRATCH}'::regnamespace and relkind in ('r', 'p') loop
      execute format('create trigger note_change after insert or update or delete on %I execute function note_change()', name);
    end loop;
  end
  $$`;

/** Refuses a database that `migrate` would refuse. Nothing of the service's own tables is locked or changed. */
export async function planMigrations(db: Database): Promise<PlannedMigration[]> {
  const migrations = await readMigrations();
  const applied = await appliedMigrations(db);
  refuseUnknown(applied, migrations);
  const pending = pendingSteps(applied, migrations);
  if (pending.length === 0) return [];
  // Committed, since a transaction holds the strongest lock on every table that it has made itself.
  await inScratch(db, async tx => {
    await tx.query(`drop schema if exists ${SCRATCH} cascade; create schema ${SCRATCH}`);
    await tx.query(`set local search_path = ${SCRATCH}`);
    // One that a release had otherwise is made as it is now: what mends it drops what differs first.
    for (const { name, sql } of migrations) if (applied.has(name)) await tx.query(sql);
    await tx.query(NOTE_CHANGES);
  });
  try {
    return await inScratch(db, tx => tryOut(tx, pending));
  } finally {
    await inScratch(db, tx => tx.query(`drop schema if exists ${SCRATCH} cascade`));
  }
}

function inScratch<T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> {
  return db.transaction(
    async tx => {
      // One plan at a time, and none beside a migration: that would read what is not applied yet.
      await tx.query('lock table schema_migrations in exclusive mode');
      return work(tx);
    },
    { isLong: true },
  );
}

async function tryOut(tx: Sql, pending: readonly MigrationStep[]): Promise<PlannedMigration[]> {
  const sizes = await readSizes(tx);
  await tx.query(`savepoint untouched; set local search_path = ${SCRATCH}`);
  const planned: PlannedMigration[] = [];
  const old = await readTables(tx);
  let before = old;
  for (const { name, sql } of pending) {
    await tx.query(`set local ${CHANGED} = ''`);
    await tx.query(sql);
    const after = await readTables(tx);
    const tables = [...old.keys()].flatMap(table => changeOf(table, before.get(table), after.get(table)) ?? []);
    planned.push({ name, tables: tables.map(change => ({ ...change, size: sizes.get(change.name) })) });
    before = after;
  }
  await tx.query('rollback to savepoint untouched');
  return planned;
}

type TableState = {
  readonly file: string | null;
  /** By their ids: one that is made anew under its old name has to be built as well. */
  readonly indexes: readonly string[];
  readonly scans: number;
  readonly blocksReads: boolean;
  readonly blocksWrites: boolean;
  readonly changesRows: boolean;
};

/** The tables of the scratch schema, with the locks that this transaction has on them. */
async function readTables(tx: Sql): Promise<Map<string, TableState>> {
  const rows = await tx.query<TableState & { name: string }>(
    `select c.relname as name, pg_relation_filenode(c.oid)::text as file,
            array(select i.indexrelid::text from pg_index i where i.indrelid = c.oid) as indexes,
            coalesce(pg_stat_get_xact_numscans(c.oid), 0)::int as scans,
            coalesce(bool_or(l.mode = 'AccessExclusiveLock'), false) as "blocksReads",
            coalesce(bool_or(l.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock')), false) as "blocksWrites",
            coalesce(c.oid::text = any(string_to_array(current_setting('${CHANGED}', true), ' ')), false) as "changesRows"
       from pg_class c
       left join pg_locks l on l.relation = c.oid and l.pid = pg_backend_pid() and l.granted
      where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p')
      group by c.oid, c.relname`,
    [SCRATCH],
  );
  return new Map(rows.map(({ name, ...state }) => [name, state]));
}

type Change = Omit<PlannedTable, 'size'>;

/** Undefined when the migration leaves the table alone. A table that it drops is locked, and nothing of it is read. */
function changeOf(name: string, before: TableState | undefined, after: TableState | undefined): Change | undefined {
  if (!before) return undefined;
  if (!after)
    return { name, blocks: 'reads and writes', isRewritten: false, changesRows: false, scans: 0, newIndexes: 0 };
  const blocks = blockedBy(after);
  const isRewritten = before.file !== after.file;
  const newIndexes = after.indexes.filter(id => !before.indexes.includes(id)).length;
  const scans = Math.max(0, after.scans - before.scans);
  const { changesRows } = after;
  const isTouched = isRewritten || changesRows || newIndexes > 0 || scans > 0 || blocks !== blockedBy(before);
  return isTouched ? { name, blocks, isRewritten, changesRows, scans, newIndexes } : undefined;
}

function blockedBy({ blocksReads, blocksWrites }: TableState): PlannedTable['blocks'] {
  if (blocksReads) return 'reads and writes';
  return blocksWrites ? 'writes' : 'nothing';
}

/** Of the tables of the service, as the server has noted them: measuring would take a lock, and wait for others. */
async function readSizes(tx: Sql): Promise<ReadonlyMap<string, TableSize>> {
  const rows = await tx.query<{ name: string; rows: string; bytes: string }>(
    `select c.relname as name, c.reltuples::bigint as rows,
            (select sum(part.relpages) from pg_class part
              where part.oid in (c.oid, c.reltoastrelid)
                 or part.oid in (select indexrelid from pg_index where indrelid in (c.oid, c.reltoastrelid)))
              * current_setting('block_size')::bigint as bytes
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.reltuples >= 0`,
  );
  return new Map(rows.map(({ name, rows: count, bytes }) => [name, { rows: Number(count), bytes: Number(bytes) }]));
}
