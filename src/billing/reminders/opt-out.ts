// Addresses that want no reminders of an account. Only a hash is stored, so that it outlives the personal data of the payer.
import { textHash } from '../../lib/hash.ts';
import type { Sql } from '../../storage/database.ts';

export function addressHash(accountId: string, address: string): string {
  return textHash(`${accountId}\n${address.trim().toLowerCase()}`);
}

export async function isOptedOut(sql: Sql, accountId: string, address: string): Promise<boolean> {
  const rows = await sql.query('select from reminder_opt_outs where account_id = $1 and address_hash = $2', [
    accountId,
    addressHash(accountId, address),
  ]);
  return rows.length > 0;
}
