// The SQL of accounts.

import type { Sql } from '../storage/database.ts';

/** Opens the account unless it is already open. */
export async function openAccount(tx: Sql, id: string, at: Date): Promise<void> {
  await tx.query('insert into accounts (id, created_at) values ($1, $2) on conflict (id) do nothing', [id, at]);
}

export type Account = { readonly id: string; readonly createdAt: Date };

export async function findAccount(sql: Sql, id: string): Promise<Account | undefined> {
  const [row] = await sql.query<{ id: string; created_at: Date }>('select id, created_at from accounts where id = $1', [
    id,
  ]);
  return row && { id: row.id, createdAt: row.created_at };
}

export async function accountExists(tx: Sql, id: string): Promise<boolean> {
  const rows = await tx.query('select from accounts where id = $1', [id]);
  return rows.length > 0;
}

/** Every account, oldest first; with a limit as many as that. */
export async function listAccounts(sql: Sql, limit?: number): Promise<Account[]> {
  const rows = await sql.query<{ id: string; created_at: Date }>(
    'select id, created_at from accounts order by created_at, id limit $1',
    [limit ?? null],
  );
  return rows.map(row => ({ id: row.id, createdAt: row.created_at }));
}

/** An account to open, and when it was first used. */
export type Opening = { readonly id: string; readonly at: Date };

/** Opens the accounts that do not exist yet; an account may be listed more than once. */
export async function openAccounts(tx: Sql, openings: readonly Opening[]): Promise<void> {
  await tx.query(
    `insert into accounts (id, created_at)
     select distinct on (id) id, at from unnest($1::text[], $2::timestamptz[]) as opening (id, at) order by id, at
     on conflict (id) do nothing`,
    [openings.map(({ id }) => id), openings.map(({ at }) => at)],
    { name: 'open_accounts' },
  );
}

/** The ids that are accounts. */
export async function findAccounts(tx: Sql, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>('select id from accounts where id = any($1)', [ids]);
  return new Set(rows.map(({ id }) => id));
}
