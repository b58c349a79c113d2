// How the dashboard writes the occasions of reminders, and the reminders of a charge.
import { SETTINGS_FAULTS, type SettingsFault } from '../../billing/reminders/mail-faults.ts';
import { NOT_COMPOSED, SKIP_CAUSES, type SkipCause } from '../../billing/reminders/reminder.ts';
import type { Occasion } from '../../billing/reminders/rule.ts';
import type { reminderView } from '../../billing/reminders/view.ts';
import { html, type Piece } from '../html.ts';
import { when } from './formats.ts';
import { badge, table } from './parts.ts';

export const OCCASION_NAMES: Readonly<Record<Occasion, string>> = {
  before: 'before the due day',
  on: 'on the due day',
  after: 'after the due day',
  paid: 'paid',
  failed: 'could not be issued or collected',
};

export const LOCALE_NAMES = { 'pt-BR': 'Portuguese', en: 'English' } as const;

const CAUSE_NAMES: Readonly<Record<SkipCause, string>> = {
  paid: 'it was paid',
  not_paid: 'it is no longer paid',
  charge_ended: 'the charge has ended',
  due_day_changed: 'the due day was changed',
  collected: 'the payer’s bank pays it by Pix Automático',
  rule_off: 'the rule was turned off',
  opted_out: 'the payer wants no reminders',
  no_address: 'no e-mail address',
  mail_off: 'no mail server',
  too_late: 'more than a day late',
  restored: 'the database was restored',
};

/** Why a reminder was skipped or failed, or the code of the mail server. */
export function causeText({ cause }: { readonly cause?: string | undefined }): string {
  if (cause === NOT_COMPOSED) return 'its mail could not be made; the log says why';
  const known = SKIP_CAUSES.find(each => each === cause);
  return known ? CAUSE_NAMES[known] : mailCodeText(cause ?? '–');
}

const FAULT_NAMES: Readonly<Record<SettingsFault, string>> = {
  sender_refused: 'the mail server refuses the sender:',
  login_refused: 'the mail server refuses the login:',
};

/** `the mail server refuses the sender: 553 5.7.1`. */
export function mailCodeText(code: string): string {
  const fault = SETTINGS_FAULTS.find(one => code.startsWith(`${one} `));
  return fault ? code.replace(fault, FAULT_NAMES[fault]) : code;
}

/** `3 days before the due day`. */
export function occasionText(about: { readonly when: Occasion; readonly days?: number | undefined }): string {
  const { when: occasion, days } = about;
  if (days === undefined) return OCCASION_NAMES[occasion];
  return `${days} ${days === 1 ? 'day' : 'days'} ${OCCASION_NAMES[occasion]}`;
}

/** What was sent about a charge, and its outcome; nothing where no rule has come to it. */
export function remindersOfCharge(reminders: readonly ReturnType<typeof reminderView>[]): Piece {
  if (reminders.length === 0) return undefined;
  const rows = reminders.map(reminder => [
    occasionText(reminder),
    badge(reminder.status),
    causeText(reminder),
    reminder.channels.join(', '),
    when(reminder.scheduledAt),
    when(reminder.updatedAt),
  ]);
  const head = ['When', 'Status', 'Why', 'Channels', 'Scheduled', 'Changed'];
  return html`<section class="card"><h2>Reminders</h2>${table({ caption: 'Reminders', head, rows })}</section>`;
}
