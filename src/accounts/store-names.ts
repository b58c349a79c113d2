// The SQL of the names of accounts, as their checkouts show them.
import type { Sql } from '../storage/database.ts';

export type NamedAccount = { readonly id: string; readonly name?: string };

/** The first accounts up to a limit, by their ids, with the names that they gave themselves. */
export async function listNamedAccounts(sql: Sql, limit: number): Promise<NamedAccount[]> {
  const rows = await sql.query<{ id: string; name: string | null }>(
    `select a.id, s.display_name as name from accounts a left join account_settings s on s.account_id = a.id
      order by a.id limit $1`,
    [limit],
  );
  return rows.map(({ id, name }) => ({ id, ...(name !== null && { name }) }));
}
