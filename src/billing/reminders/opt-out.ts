// Payers who want no reminders of an account. Only a hash of the address is stored, so that it outlives their personal data.
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { textHash } from '../../lib/hash.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { Reminder } from './reminder.ts';

export function addressHash(accountId: string, address: string): string {
  return textHash(`${accountId}\n${address.trim().toLowerCase()}`);
}

/** `hash`: of an address, by `addressHash`. */
export async function isOptedOut(sql: Sql, accountId: string, hash: string): Promise<boolean> {
  const rows = await sql.query('select from reminder_opt_outs where account_id = $1 and address_hash = $2', [
    accountId,
    hash,
  ]);
  return rows.length > 0;
}

type Mailed = Pick<Reminder, 'id' | 'accountId'> & { readonly addressHash: string };

/** Ends the reminders of the account to the address of this one, or has them sent again. Repeating it changes nothing. */
export async function setOptOut(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { id, accountId, addressHash: hash }: Mailed,
  isOut: boolean,
): Promise<void> {
  const at = clock.now();
  await db.transaction(async tx => {
    setAuditObject(id);
    if (isOut) {
      await tx.query(
        `insert into reminder_opt_outs (account_id, address_hash, created_at) values ($1, $2, $3) on conflict do nothing`,
        [accountId, hash, at],
      );
    } else {
      await tx.query('delete from reminder_opt_outs where account_id = $1 and address_hash = $2', [accountId, hash]);
    }
  });
}
