// What the doctor finds about the mail server: whether it answers and lets the service log in. Nothing is sent.
import { checkMailServer } from '../billing/reminders/smtp.ts';
import type { Config } from '../config/config.ts';
import { type Finding, right, wrong } from './finding.ts';

export async function checkMail({ mail }: Config): Promise<Finding[]> {
  if (!mail) return [];
  const place = `mail server ${mail.host}:${mail.port}`;
  const outcome = await checkMailServer(mail);
  if (outcome.kind === 'sent') return [right(`${place}: answers${mail.login ? ' and lets the service log in' : ''}`)];
  const mend = 'check TRILHO_SMTP_HOST, TRILHO_SMTP_PORT, TRILHO_SMTP_TLS, the user and the password';
  return [wrong(`${place}: ${outcome.code}; ${mend}`)];
}
