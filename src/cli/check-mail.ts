// What the doctor finds about the mail server: whether it answers and lets the service log in, and which reminders it does not take.
// Nothing is sent.
import { wayOutOf } from '../billing/reminders/mail-faults.ts';
import { checkMailServer } from '../billing/reminders/smtp.ts';
import { readMailFaults } from '../billing/reminders/store-mail-faults.ts';
import type { Config } from '../config/config.ts';
import type { Sql } from '../storage/database.ts';
import { type Finding, right, wrong } from './finding.ts';

export async function checkMail({ mail }: Config): Promise<Finding[]> {
  if (!mail) return [];
  const place = `mail server ${mail.host}:${mail.port}`;
  const outcome = await checkMailServer(mail);
  if (outcome.kind === 'sent') return [right(`${place}: answers${mail.login ? ' and lets the service log in' : ''}`)];
  return [wrong(`${place}: ${outcome.code}; ${wayOutOf(outcome.code)}`)];
}

/** A sender is refused only with a mail, so this shows with the reminders that wait. */
export async function checkUnsentMails(sql: Sql): Promise<Finding[]> {
  const faults = await readMailFaults(sql);
  return faults.map(({ cause, count }) => {
    return wrong(`mail server: ${cause}: reminders that wait: ${count}; ${wayOutOf(cause)}`);
  });
}
