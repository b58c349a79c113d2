// Times of day in São Paulo, and quiet hours. Pure.
import { addDays, type CivilDay, civilDay, momentOn } from '../../lib/civil-days.ts';

/** `HH:MM`. */
export type LocalTime = string;

export const LOCAL_TIME_PATTERN = '^([01]\\d|2[0-3]):[0-5]\\d$';

/** They may span midnight. */
export type QuietHours = { readonly from: LocalTime; readonly until: LocalTime };

export function momentAt(day: CivilDay, time: LocalTime): Date {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return momentOn(day, hours + minutes / 60);
}

/** The end of the quiet hours that a moment is in; the moment itself outside of them. */
export function outsideQuietHours(at: Date, quiet: QuietHours | undefined): Date {
  if (!quiet) return at;
  const today = civilDay(at);
  const from = momentAt(today, quiet.from);
  const until = momentAt(today, quiet.until);
  if (from < until) return at >= from && at < until ? until : at;
  if (at < until) return until;
  return at >= from ? momentAt(addDays(today, 1), quiet.until) : at;
}
