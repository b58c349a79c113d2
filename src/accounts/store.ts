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
