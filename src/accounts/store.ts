// Accounts in the database.
import type { Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';

/** Opens the account unless it is open already. */
export async function openAccount(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query('insert into accounts (id, created_at) values ($1, $2) on conflict (id) do nothing', [id, at]);
}

export async function accountExists(tx: Sql, id: string): Promise<boolean> {
  const rows = await tx.query('select from accounts where id = $1', [id]);
  return rows.length > 0;
}

/** Every account, oldest first. */
export async function listAccounts(sql: Sql): Promise<{ id: string; createdAt: Date }[]> {
  const rows = await sql.query<{ id: string; created_at: Date }>(
    'select id, created_at from accounts order by created_at, id',
  );
  return rows.map(row => ({ id: row.id, createdAt: row.created_at }));
}

export type Opening = { readonly id: string; readonly at: Date };

/** Opens those accounts that are not open yet; each may be named more than once. */
export function accountsOpening(openings: readonly Opening[]): Statement {
  return {
    name: 'open_accounts',
    text: `insert into accounts (id, created_at)
           select distinct on (id) id, at from unnest($1::text[], $2::timestamptz[]) as opening (id, at) order by id, at
           on conflict (id) do nothing`,
    values: [openings.map(opening => opening.id), openings.map(opening => opening.at)],
  };
}

/** Fails with those accounts that are not open. */
export function accountsCheck(ids: readonly string[]): Statement {
  return {
    text: 'select all_written(array_agg(id), $1::text[], true) from accounts where id = any($1)',
    values: [[...new Set(ids)]],
  };
}
