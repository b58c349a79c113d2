// The SQL of reminders that the mail server does not take, for a fault that is not of the recipient.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';

export type MailFault = {
  /** What the mail server or the connection said. */
  readonly cause: string;
  /** How many reminders wait for their next try. */
  readonly count: number;
  /** Since when the oldest of them was to be sent. */
  readonly since: Date;
};
const toFault = recordOf<MailFault>('cause, count, since');

/** Reminders that wait are read up to this number, the newest first. */
const MAX_READ = 10_000;

/** The most frequent first. A server that says 4xx is busy, or puts the recipient off: the next try may do. */
export async function readMailFaults(sql: Sql): Promise<MailFault[]> {
  const rows = await sql.query<RowOf<MailFault>>(
    `select cause, count(*)::int as count, min(due_at) as since
       from (select cause, due_at from reminders where status = 'WAITING' order by created_at desc, id desc limit $1) waiting
      where cause is not null and cause !~ '^4'
      group by cause order by 2 desc, 1`,
    [MAX_READ],
  );
  return rows.map(toFault);
}
