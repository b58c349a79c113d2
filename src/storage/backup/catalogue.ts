// Reads our tables, those of the schema that migrations write to, from the catalogue of PostgreSQL.
import type { Sql } from '../database.ts';

export type Table = {
  readonly name: string;
  /** The quoted name. */
  readonly quoted: string;
  /** Without generated columns, which are computed. */
  readonly columns: readonly Column[];
};

type Column = { readonly name: string; readonly quoted: string; readonly type: string };

/** An identity column and its last number; null before the first. */
type Sequence = { readonly table: string; readonly column: string; readonly last: string | null };

type ForeignKey = { readonly table: string; readonly name: string; readonly definition: string };

/** Restoring applies the migrations themselves, so their table is not part of a backup. */
const NOT_SAVED = ['schema_migrations'];

/** Tables by name, without those of extensions and without partitions, which belong to their table. */
export function readTables(sql: Sql): Promise<Table[]> {
  return sql.query<Table>(
    `select c.relname as name, c.oid::regclass::text as quoted,
            json_agg(json_build_object('name', a.attname, 'quoted', quote_ident(a.attname),
                                       'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relpersistence = 'p' and c.relname <> all ($1)
        and not exists (select from pg_depend d
                         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      group by c.oid, c.relname
      order by c.relname collate "C"`,
    [NOT_SAVED],
  );
}

/** A sequence is not part of a snapshot: its last number may be later than the snapshot. */
export function readSequences(sql: Sql): Promise<Sequence[]> {
  return sql.query<Sequence>(
    `select c.relname as "table", a.attname as "column",
            pg_sequence_last_value(pg_get_serial_sequence(c.oid::regclass::text, a.attname)::regclass)::text as last
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attidentity <> ''
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      order by c.relname collate "C", a.attnum`,
  );
}

export function readForeignKeys(sql: Sql): Promise<ForeignKey[]> {
  return sql.query<ForeignKey>(
    `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
       from pg_constraint
      where contype = 'f' and connamespace = current_schema()::regnamespace and conparentid = 0
      order by conrelid::regclass::text, conname`,
  );
}

/** Makes every type write and read its text in one way, independent of the server's settings. */
export const PLAIN_TEXT = `
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local bytea_output = 'hex';
  set local extra_float_digits = 1`;
