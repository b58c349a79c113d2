// The SQL of due dates that are changed.
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';

/** Writes the due date of a charge, its end, and the change that was asked for last. */
export async function storeDueDate(tx: Sql, { id, accountId, dueAt, expireAt, dueChange }: Charge): Promise<void> {
  await tx.query(
    `update charges set due_at = $3, expire_at = $4, asked_due_at = $5, due_change_status = $6, due_change_reason = $7
      where id = $1 and account_id = $2`,
    [id, accountId, dueAt, expireAt, dueChange?.dueAt, dueChange?.status, dueChange?.reason],
  );
}
