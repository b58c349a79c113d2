// The SQL of changes of due dates.
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

/** Writes the due date and the end of a charge, and the change requested last. */
export async function storeDueDate(tx: Sql, { id, accountId, dueAt, expireAt, dueChange }: Charge): Promise<void> {
  await tx.query(
    `update charges set due_at = $3, expire_at = $4, asked_due_at = $5, due_change_status = $6, due_change_reason = $7
      where id = $1 and account_id = $2`,
    [id, accountId, dueAt, expireAt, dueChange?.dueAt, dueChange?.status, dueChange?.reason],
  );
}

/** When the last change was sent to a bank with an API, and the bank's code for it; neither before it is sent. */
type SentByCall = { readonly sentAt?: Date; readonly code?: string };

export async function findDueChangeSent(
  sql: Sql,
  { id, accountId }: Pick<Charge, 'id' | 'accountId'>,
): Promise<SentByCall> {
  const [row] = await sql.query<{ sent_at: Date | null; code: string | null }>(
    `select due_change_sent_at as sent_at, due_change_code as code from charges where id = $1 and account_id = $2`,
    [id, accountId],
  );
  return { ...(row?.sent_at && { sentAt: row.sent_at }), ...(row?.code != null && { code: row.code }) };
}

/** A new change was not sent. */
export async function clearDueChangeSent(tx: Sql, { id, accountId }: Charge): Promise<void> {
  await tx.query(
    'update charges set due_change_sent_at = null, due_change_code = null where id = $1 and account_id = $2',
    [id, accountId],
  );
}

const OF_CHANGE = `id = $1 and account_id = $2 and asked_due_at = $3 and due_change_status = 'PENDING'`;

/** Marks a change before it is sent. False: it was replaced, or was sent at another time than the caller saw. */
export async function markDueChangeSent(
  sql: Sql,
  { id, accountId }: Charge,
  dueAt: Date,
  seen: Date | undefined,
  at: Date | undefined,
): Promise<boolean> {
  const rows = await sql.query(
    `update charges set due_change_sent_at = $5
      where ${OF_CHANGE} and due_change_sent_at is not distinct from $4 and due_change_code is null returning id`,
    [id, accountId, dueAt, seen ?? null, at ?? null],
  );
  return rows.length > 0;
}

export async function storeDueChangeCode(
  sql: Sql,
  { id, accountId }: Charge,
  dueAt: Date,
  code: string,
): Promise<void> {
  await sql.query(`update charges set due_change_code = $4 where ${OF_CHANGE}`, [id, accountId, dueAt, code]);
}

/** Whether a change was sent to the bank's API and has no answer yet. */
export async function isDueChangeOpen(sql: Sql, chargeId: string): Promise<boolean> {
  const rows = await sql.query(
    `select from charges where id = $1 and due_change_status = 'PENDING' and due_change_sent_at is not null`,
    [chargeId],
  );
  return rows.length > 0;
}
