// The SQL of the list of reminders.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Reminder, ReminderStatus } from './reminder.ts';
import { REMINDER_COLUMNS, type ReminderRow, toReminder } from './store.ts';

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
  const { where, limit, offset, values } = pageSql(query, { account_id: accountId, status, charge_id: chargeId });
  // The last value is the page number, which this statement does not use.
  values.pop();
  const rows = await sql.query<ReminderRow & { total: string }>(
    `with found as not materialized (select id, created_at from reminders ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, shown.*
       from (select count(*) as total from found) counted
       left join (select ${REMINDER_COLUMNS} from reminders where id in (select id from page)) shown on true
      order by shown.created_at desc, shown.id desc`,
    values,
  );
  return { reminders: rows.filter(row => row.id !== null).map(toReminder), total: Number(rows[0]!.total) };
}
