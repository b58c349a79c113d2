// The SQL of reminders.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Reminder, SkipCause } from './reminder.ts';

const COLUMNS = `id, account_id, charge_id, occasion, days, due_day, reason, channels, locale, status, cause, attempts, due_at, next_at,
  sending_since, address_hash, amount_cents, event_count, created_at, updated_at`;
/** The select list of a `ReminderRow`: a day is text, whatever the time zone of the process. */
export const REMINDER_COLUMNS = COLUMNS.replace('due_day', 'due_day::text as due_day');
type ReminderRow = RowOf<Reminder>;
export const toReminder = recordOf<Reminder>(COLUMNS, ['amountCents']);

/** Inserts new reminders; a charge that has one for the same reason is left as it is. */
export async function insertReminders(tx: Sql, reminders: readonly Reminder[]): Promise<void> {
  if (reminders.length === 0) return;
  const rows = reminders.map(({ id, accountId, chargeId, occasion, days, dueDay, ...reminder }) => ({
    ...{ id, account_id: accountId, charge_id: chargeId, occasion, days, due_day: dueDay, reason: reminder.reason },
    ...{ channels: reminder.channels, locale: reminder.locale, status: reminder.status, due_at: reminder.dueAt },
    ...{ next_at: reminder.nextAt, created_at: reminder.createdAt, updated_at: reminder.updatedAt },
  }));
  const written = `id, account_id, charge_id, occasion, days, due_day, reason, channels, locale, status, due_at, next_at, created_at,
    updated_at`;
  await tx.query(
    `insert into reminders (${written})
     select ${written}
       from json_to_recordset($1) as new_reminder (id uuid, account_id text, charge_id uuid, occasion text, days integer, due_day date,
            reason text, channels text[], locale text, status text, due_at timestamptz, next_at timestamptz, created_at timestamptz,
            updated_at timestamptz)
     on conflict do nothing`,
    [JSON.stringify(rows)],
  );
}

/** Replaces what may change of a reminder, whose row the caller has locked. */
export async function updateReminder(tx: Sql, reminder: Reminder): Promise<void> {
  const { id, accountId, status, cause, attempts, nextAt, sendingSince, addressHash, amountCents } = reminder;
  const { eventCount, updatedAt } = reminder;
  await tx.query(
    `update reminders
        set status = $3, cause = $4, attempts = $5, next_at = $6, sending_since = $7, address_hash = $8, amount_cents = $9, event_count = $10,
            updated_at = $11
      where id = $1 and account_id = $2`,
    [
      ...[id, accountId, status, cause, attempts, nextAt, sendingSince, addressHash, amountCents],
      ...[eventCount, updatedAt],
    ],
  );
}

/** `accountId` restricts the search to one account. */
export async function findReminder(
  sql: Sql,
  id: string,
  accountId?: string,
  { isLocked = false } = {},
): Promise<Reminder | undefined> {
  const [row] = await sql.query<ReminderRow>(
    `select ${REMINDER_COLUMNS} from reminders
      where id = $1 and ($2::text is null or account_id = $2)${isLocked ? ' for update' : ''}`,
    [id, accountId ?? null],
  );
  return row && toReminder(row);
}

/** More reasons than the rules of an account can give a charge, unless its due day is changed again and again. */
const MAX_SHOWN = 200;

/** The newest reminders of a charge, newest first. */
export async function findRemindersOf(sql: Sql, chargeId: string, accountId: string): Promise<Reminder[]> {
  const rows = await sql.query<ReminderRow>(
    `select ${REMINDER_COLUMNS} from reminders
      where charge_id = $1 and account_id = $2 order by reminders.created_at desc, id desc limit ${MAX_SHOWN}`,
    [chargeId, accountId],
  );
  return rows.map(toReminder);
}

export type ReminderRef = { readonly accountId: string; readonly reminderId: string };

/** Takes those that are due, and has them looked at again at `next` should their job be lost. */
export async function takeDueReminders(tx: Sql, until: Date, next: Date, limit: number): Promise<ReminderRef[]> {
  const rows = await tx.query<{ id: string; account_id: string }>(
    `update reminders set next_at = $2
      where (id, account_id) in (select id, account_id from reminders where next_at <= $1
                                  order by next_at, id limit $3 for update skip locked)
     returning id, account_id`,
    [until, next, limit],
  );
  return rows.map(row => ({ reminderId: row.id, accountId: row.account_id }));
}

type DueCharge = { readonly id: string; readonly dueAt: Date };

type DueCharges = {
  readonly accountId: string;
  /** Both ends of the due day. */
  readonly from: Date;
  readonly before: Date;
  /** Only the charges after this one, by due moment and id. */
  readonly after?: DueCharge | undefined;
  /** A charge that was made after the moment of its reminder gets none. */
  readonly createdUntil: Date;
  readonly limit: number;
};

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/** Charges that wait for money and are due on a day, in the order of `after`. */
export async function findChargesToRemind(tx: Sql, due: DueCharges): Promise<DueCharge[]> {
  const { dueAt, id } = due.after ?? { dueAt: due.from, id: BEFORE_ALL_IDS };
  const rows = await tx.query<{ id: string; due_at: Date }>(
    `select id, due_at from charges
      where account_id = $1 and (due_at, id) > ($2, $3) and due_at < $4 and state in ('CREATING', 'ACTIVE', 'OVERDUE')
        and created_at <= $5
      order by due_at, id limit $6`,
    [due.accountId, dueAt, id, due.before, due.createdUntil, due.limit],
  );
  return rows.map(row => ({ id: row.id, dueAt: row.due_at }));
}

export async function nextReminderAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ next_at: Date }>(
    'select next_at from reminders where next_at <= $1 order by next_at limit 1',
    [until],
  );
  return row?.next_at;
}

/** Each rule that comes to a due day up to `until`, with the first day on which a charge of its account is due. */
export async function findNextDueDays(sql: Sql, until: Date) {
  return sql.query<{ account_id: string; occasion: 'before' | 'on' | 'after'; days: number; due_day: CivilDay }>(
    `select r.account_id, r.occasion, r.days, (first.due_at at time zone 'America/Sao_Paulo')::date::text as due_day
       from reminder_rules r
       cross join lateral (
         select c.due_at from charges c
          where c.account_id = r.account_id and c.state in ('CREATING', 'ACTIVE', 'OVERDUE')
            and c.due_at >= (r.done_until + 1)::timestamp at time zone 'America/Sao_Paulo'
          order by c.due_at limit 1) first
      where r.next_at <= $1`,
    [until],
  );
}

/** Takes the hash of the payer's address out of the reminders of charges. */
export async function eraseFromReminders(tx: Sql, chargeIds: readonly string[]): Promise<void> {
  await tx.query(
    'update reminders set address_hash = null where charge_id = any($1::uuid[]) and address_hash is not null',
    [chargeIds],
  );
}

/** Ends every reminder that waits or was being sent; returns their number. */
export async function skipOpenReminders(tx: Sql, cause: SkipCause, at: Date): Promise<number> {
  const rows = await tx.query(
    `update reminders set status = 'SKIPPED', cause = $1, next_at = null, sending_since = null, updated_at = $2
      where next_at is not null returning id`,
    [cause, at],
  );
  return rows.length;
}
