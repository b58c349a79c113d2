// Reads the booking dates of OFX and CSV files: a civil day and, if the file has a time of day, an instant.
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import { parseUtc } from '../../lib/date-times.ts';

export type Posted = { readonly day: CivilDay; readonly at?: Date };

/** The real exists since 1994; an earlier date, or one far in the future, is a misread date. */
const FIRST_YEAR = 1994;
const LAST_YEAR = 2199;
/** The longest date of both formats, with its zone. */
const MAX_LENGTH = 48;
const HOUR_MINUTES = 60;
const MINUTE_MS = 60_000;
/** The time zones of Brazil, from Noronha (or the former summer time of São Paulo) to Acre. */
const BRAZIL_FROM_MINUTES = -5 * HOUR_MINUTES;
const BRAZIL_TO_MINUTES = -2 * HOUR_MINUTES;
const EARLIEST_ZONE_HOURS = -12;
const LATEST_ZONE_HOURS = 14;

const OFX =
  /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?(?:\.(\d{1,6}))?)?\s*(?:\[\s*([+-]?\d{1,2})\s*(?::[^\]]{0,16})?\])?$/;
const TIME =
  '(?:(?:T|,? +(?:às |as |- )?)(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)?\\s*(Z|[+-]\\d\\d:?\\d\\d)?)?';
const DAY_FIRST = new RegExp(`^(\\d{1,2})[/.-](\\d{1,2})[/.-](\\d{4}|\\d\\d)${TIME}$`, 'i');
const YEAR_FIRST = new RegExp(`^(\\d{4})[/-](\\d{1,2})[/-](\\d{1,2})${TIME}$`, 'i');

type Written = {
  readonly year: string;
  readonly month: string;
  readonly day: string;
  readonly hour: string | undefined;
  readonly minute: string | undefined;
  readonly second: string | undefined;
  readonly fraction: string | undefined;
  readonly offsetMinutes: number | undefined;
};

/** Reads `20261116`, `20261116120000`, `20261116120000.000[-3:BRT]`; undefined for what is not a real date. */
export function ofxPosted(text: string): Posted | undefined {
  const match = text.length <= MAX_LENGTH ? OFX.exec(text) : null;
  if (!match) return undefined;
  const [, year = '', month = '', day = '', hour, minute, second, fraction, zone] = match;
  const zoneHours = zone === undefined ? undefined : Number(zone);
  if (zoneHours !== undefined && (zoneHours < EARLIEST_ZONE_HOURS || zoneHours > LATEST_ZONE_HOURS)) return undefined;
  const offsetMinutes = zoneHours === undefined ? undefined : zoneHours * HOUR_MINUTES;
  return postedOf({ year, month, day, hour, minute, second, fraction, offsetMinutes });
}

/**
 * Reads `16/11/2026`, `16/11/26`, `2026-11-16`, each with an optional time and zone, and `20261116`. The day precedes the
 * month.
 */
export function csvPosted(text: string): Posted | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  // No date as ddmmyyyy is also a date as yyyymmdd of these years, so eight digits are never misread.
  if (/^\d{8}$/.test(text)) return ofxPosted(text);
  const dayFirst = DAY_FIRST.exec(text);
  const match = dayFirst ?? YEAR_FIRST.exec(text);
  if (!match) return undefined;
  const [, a = '', month = '', c = '', hour, minute, second, fraction, zone] = match;
  const [year, day] = dayFirst ? [c, a] : [a, c];
  const offsetMinutes = zone === undefined ? undefined : zoneMinutes(zone);
  if (offsetMinutes !== undefined && Math.abs(offsetMinutes) > LATEST_ZONE_HOURS * HOUR_MINUTES) return undefined;
  return postedOf({
    year: year.length === 2 ? `20${year}` : year,
    month: month.padStart(2, '0'),
    day: day.padStart(2, '0'),
    hour,
    minute,
    second,
    fraction,
    offsetMinutes,
  });
}

/**
 * A time without a zone is São Paulo time, though the OFX standard says GMT: Brazilian banks mean it so. Midnight is not
 * a time: banks write it, with any zone, when they know only the day. The day stays as written, unless the time is real
 * and its zone lies outside Brazil.
 */
function postedOf(written: Written): Posted | undefined {
  const { year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', offsetMinutes } = written;
  if (Number(year) < FIRST_YEAR || Number(year) > LAST_YEAR) return undefined;
  const writtenDay = `${year}-${month}-${day}`;
  const wall = parseUtc(`${writtenDay}T${hour}:${minute}:${second}.${fraction}Z`);
  if (!wall) return undefined;
  if (wall.floorMs === Date.parse(`${writtenDay}T00:00:00Z`)) return { day: writtenDay };
  if (offsetMinutes === undefined) return { day: writtenDay, at: inSaoPaulo(wall.floorMs) };
  const at = new Date(wall.floorMs - offsetMinutes * MINUTE_MS);
  const inBrazil = offsetMinutes >= BRAZIL_FROM_MINUTES && offsetMinutes <= BRAZIL_TO_MINUTES;
  return { day: inBrazil ? writtenDay : civilDay(at), at };
}

const saoPaulo = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Converts local time in São Paulo to an instant, with the offset of the time zone database near that time. */
function inSaoPaulo(wallMs: number): Date {
  const near = wallMs - (wallMs % 1_000) + 3 * HOUR_MINUTES * MINUTE_MS;
  const shownMs = Date.parse(`${saoPaulo.format(near).replace(', ', 'T')}Z`);
  return new Date(wallMs - (shownMs - near));
}

function zoneMinutes(zone: string): number {
  if (zone.toUpperCase() === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * HOUR_MINUTES + Number(zone.slice(-2));
  return zone.startsWith('-') ? -minutes : minutes;
}
