// Rules, settings and reminders as the API and events show them. Their schemas are in api/; JSON leaves out what is undefined.
import { objectEvent } from '../../events/store.ts';
import type { Reminder, ReminderEvent } from './reminder.ts';
import { followsEvents, type Rule } from './rule.ts';
import type { ReminderSettings } from './settings.ts';

export function ruleView(rule: Rule) {
  const { id, accountId, occasion, days, channels, locale, isEnabled, createdAt, updatedAt } = rule;
  return {
    id,
    accountId,
    when: occasion,
    days: days === 0 ? undefined : days,
    channels: [...channels],
    locale,
    enabled: isEnabled,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** `isMailOn`: whether the service has a mail server. */
export function settingsView(accountId: string, { sendAt, quietHours, texts }: ReminderSettings, isMailOn: boolean) {
  return { accountId, sendAt, quietHours: quietHours ?? null, texts, mailEnabled: isMailOn };
}

export function reminderView(reminder: Reminder) {
  const { id, accountId, chargeId, occasion, days, dueDay, channels, locale, status, cause, attempts } = reminder;
  const { dueAt, amountCents, createdAt, updatedAt } = reminder;
  return {
    id,
    accountId,
    chargeId,
    when: occasion,
    days: days === 0 ? undefined : days,
    dueDay: followsEvents(reminder) ? undefined : dueDay,
    channels: [...channels],
    locale,
    status,
    cause,
    attempts,
    amountCents: amountCents === undefined ? undefined : Number(amountCents),
    scheduledAt: dueAt.toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** An event that carries the reminder as it is now; `checkoutUrl` for those who send it by other channels. */
export function reminderEvent(reminder: Reminder, type: ReminderEvent, at: Date, checkoutUrl?: string) {
  return objectEvent(reminder, type, at, { ...reminderView(reminder), checkoutUrl });
}
