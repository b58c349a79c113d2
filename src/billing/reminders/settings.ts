// What applies to all reminders of an account: when they are sent, and its own texts. Pure.
import type { Locale } from '../customers/customer.ts';
import type { LocalTime, QuietHours } from './local-time.ts';
import type { Occasion } from './rule.ts';

/** What an account says in place of the texts of the service. */
type OwnText = { readonly subject?: string; readonly intro?: string };
export type OwnTexts = { readonly [L in Locale]?: { readonly [O in Occasion]?: OwnText } };

export type ReminderSettings = {
  /** When reminders of due days are sent. */
  readonly sendAt: LocalTime;
  readonly quietHours?: QuietHours;
  readonly texts: OwnTexts;
};

export const DEFAULT_SETTINGS: ReminderSettings = {
  sendAt: '09:00',
  quietHours: { from: '20:00', until: '08:00' },
  texts: {},
};
