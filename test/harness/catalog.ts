// The whole schema of a database as lines of text: two databases with the same lines behave alike, however they were made.
import type { Sql } from '../../src/storage/database.ts';

/** It ignores the order of columns, whether a constraint was validated for older rows, and its parentheses, which a dump changes. */
export async function catalogOf(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ line: string }>(`
    select 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
           || case when a.attnotnull then ' not null' else '' end
           || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
           || ' ' || a.attidentity::text || a.attgenerated::text || a.attstorage::text || a.attcollation as line
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v', 'c')
    union all
    select 'relation ' || relkind::text || ' ' || relname || ' ' || relpersistence::text || coalesce(reloptions::text, '')
      from pg_class where relnamespace = 'public'::regnamespace
    union all
    select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || translate(replace(pg_get_constraintdef(oid), ' NOT VALID', ''), '()', '')
      from pg_constraint where connamespace = 'public'::regnamespace
    union all
    select 'index ' || pg_get_indexdef(i.indexrelid) || ' ' || i.indisvalid
      from pg_index i join pg_class c on c.oid = i.indexrelid where c.relnamespace = 'public'::regnamespace
    union all
    select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select 'trigger ' || pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text
      from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
    union all
    select 'view ' || relname || ' ' || pg_get_viewdef(oid)
      from pg_class where relkind = 'v' and relnamespace = 'public'::regnamespace
    union all
    select 'comment ' || classoid::regclass || ' ' || objoid::regclass || ' ' || description
      from pg_description d
     where d.classoid = 'pg_class'::regclass
       and exists (select from pg_class c where c.oid = d.objoid and c.relnamespace = 'public'::regnamespace)
    union all
    select 'rollup ' || to_jsonb(r)::text from list_rollups r
    union all
    select 'asset ' || symbol || ' ' || network from network_assets
    union all
    select 'network ' || network from networks
    union all
    select 'one row ' || concat_ws(' ',
      (select count(*) from sweep_lock), (select count(*) from audit_seal), (select count(*) from pruning),
      (select count(*) from event_feed), (select count(*) from event_cursors), (select count(*) from list_merge),
      (select count(*) from sandbox_clock), (select count(*) from checkout_links), (select count(*) from replica_marks))
    union all
    select 'rows ' || concat_ws(' ',
      (select array_agg(kind order by kind) from archive_cuts), (select array_agg(name order by name) from event_readers),
      (select array_agg(network order by network) from sandbox_chains))`);
  return rows.map(({ line }) => line).sort();
}
