// Civil days: `YYYY-MM-DD` in America/Sao_Paulo, from the time zone database and never from a fixed offset.
import { remembered } from './remembered.ts';

export type CivilDay = string;

export const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

// Intl counts the years before year 1 backwards, and writes early years without their zeros.
const FIRST_NAMED_MS = Date.parse('0001-01-01T12:00:00Z');

// Since 1914 the offset has been whole hours, so that no day begins within an hour. Asked for the same few hours over and
// over, and slow to work out.
const WHOLE_HOURS_SINCE_MS = Date.parse('1914-01-02T00:00:00Z');
const dayOfHour = remembered((hour: number) => shownDay(hour * HOUR_MS));

/** The day a clock on a wall in São Paulo shows at that moment; before year 1 it is the first day of year 1. */
export function civilDay(at: Date): CivilDay {
  const ms = at.getTime();
  return ms >= WHOLE_HOURS_SINCE_MS ? dayOfHour(Math.floor(ms / HOUR_MS)) : shownDay(ms);
}

function shownDay(ms: number): CivilDay {
  return saoPaulo.format(Math.max(ms, FIRST_NAMED_MS)).padStart('YYYY-MM-DD'.length, '0');
}

/** The number of a day: counted, days are compared and added up. Most that is asked for is about the same few of them. */
const numberOf = remembered((day: CivilDay) => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS));

/** Whole days from one civil day to another; negative when `to` is earlier. */
export function daysBetween(from: CivilDay, to: CivilDay): number {
  return numberOf(to) - numberOf(from);
}

const FIRST_NUMBER = numberOf('0000-01-01');
const LAST_NUMBER = numberOf('9999-12-31');
const dayOfNumber = remembered((number: number) =>
  new Date(number * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length),
);

/** The day that is `days` later, or earlier when negative. It stays within the years that four digits can name. */
export function addDays(day: CivilDay, days: number): CivilDay {
  return dayOfNumber(Math.min(Math.max(numberOf(day) + days, FIRST_NUMBER), LAST_NUMBER));
}

const saoPauloTime = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Sao_Paulo',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** The moment at which a clock on a wall in São Paulo shows that day and this hour. */
export function momentOn(day: CivilDay, hour = 0): Date {
  return new Date(momentShownAs(Date.parse(`${day}T00:00:00Z`) + hour * HOUR_MS));
}

/** The moment, in milliseconds, at which the wall shows what UTC shows at another. */
const momentShownAs = remembered((asUtcMs: number): number => {
  // The offset at about that time; where it changes at midnight, the day begins with the change.
  const near = new Date(asUtcMs + 3 * HOUR_MS);
  const part = Object.fromEntries(saoPauloTime.formatToParts(near).map(({ type, value }) => [type, Number(value)]));
  const shownMs = Date.UTC(
    part['year']!,
    part['month']! - 1,
    part['day'],
    part['hour'],
    part['minute'],
    part['second'],
  );
  return asUtcMs + (near.getTime() - shownMs);
});
