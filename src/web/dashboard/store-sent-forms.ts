// The SQL of forms that were sent.
import type { Sql } from '../../storage/database.ts';

/** Marks a form as sent, and deletes marks older than a day; false when it was already sent. */
export async function claimForm(sql: Sql, once: string, at: Date): Promise<boolean> {
  const rows = await sql.query(
    `with forgotten as (delete from sent_forms where sent_at < $2::timestamptz - interval '1 day' and once <> $1)
     insert into sent_forms (once, sent_at) values ($1, $2) on conflict do nothing returning once`,
    [once, at],
  );
  return rows.length > 0;
}

/** Removes the mark of a form that was refused and had no effect. */
export async function releaseForm(sql: Sql, once: string): Promise<void> {
  await sql.query('delete from sent_forms where once = $1', [once]);
}
