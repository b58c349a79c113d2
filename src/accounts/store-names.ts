// The SQL of the display names of accounts.
import type { Sql } from '../storage/database.ts';

type NamedAccount = { readonly id: string; readonly name?: string };

/** The first accounts up to a limit, by their ids, with their display names. */
export async function listNamedAccounts(sql: Sql, limit: number): Promise<NamedAccount[]> {
  const rows = await sql.query<{ id: string; name: string | null }>(
    `select a.id, s.display_name as name from accounts a left join account_settings s on s.account_id = a.id
      order by a.id limit $1`,
    [limit],
  );
  return rows.map(({ id, name }) => ({ id, ...(name !== null && { name }) }));
}
