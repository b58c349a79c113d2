// The SQL of the list of reminders.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import type { Reminder, ReminderStatus } from './reminder.ts';
import { REMINDER_COLUMNS, toReminder } from './store.ts';

export type ReminderQuery = PageQuery & {
  readonly accountId?: string;
  readonly status?: ReminderStatus;
  readonly chargeId?: string;
};

/** A page of reminders, newest first, and their total number. */
export async function readReminderPage(
  sql: Sql,
  query: ReminderQuery,
): Promise<{ reminders: Reminder[]; total: number }> {
  const { accountId, status, chargeId } = query;
  const { rows, total } = await readNewest(sql, query, {
    from: 'reminders',
    columns: REMINDER_COLUMNS,
    equals: { account_id: accountId, status, charge_id: chargeId },
    read: toReminder,
  });
  return { reminders: rows, total };
}
