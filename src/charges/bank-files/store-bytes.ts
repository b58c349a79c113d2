// The SQL that removes the bytes of files to banks.
import type { Sql } from '../../storage/database.ts';

/** Nothing in it waits for an answer, so the bank has received it, even if its sending was not recorded. */
const IS_OVER = `f.bytes_removed_at is null
  and not exists (select from boleto_instructions i
                   where i.rail = f.rail and i.sequence = f.sequence and i.closed_at is null)`;

/** Removes the bytes of fully answered files made before a moment, and returns how many files that were. */
export async function removeBytes(
  tx: Sql,
  { before, at }: { readonly before: Date; readonly at: Date },
  limit: number,
): Promise<number> {
  const rows = await tx.query(
    `with old as materialized (
       select f.rail, f.sequence from boleto_files f
        where f.made_at < $1 and ${IS_OVER}
        order by f.made_at, f.rail, f.sequence limit $2
          for update skip locked
     ), gone as (
       delete from boleto_file_parts p using old where p.rail = old.rail and p.sequence = old.sequence
     )
     update boleto_files f set bytes_removed_at = $3 from old
      where f.rail = old.rail and f.sequence = old.sequence returning f.sequence`,
    [before, limit, at],
  );
  return rows.length;
}

export async function findOldestWithBytes(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ made_at: Date }>(
    `select f.made_at from boleto_files f where ${IS_OVER} order by f.made_at limit 1`,
  );
  return row?.made_at;
}
