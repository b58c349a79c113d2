// Accounts in the database.
import type { Sql } from '../storage/database.ts';

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
