// Columns of a CNAB 240 record as the simulated bank reads and writes them, independent of the tables of the service, so that a mistake
// there is not repeated here. Columns count from 1, and both ends are inclusive.
import type { CivilDay } from '../../lib/civil-days.ts';

export const WIDTH = 240;

/** The text of some columns. */
export function at(line: string, from: number, to: number): string {
  return line.slice(from - 1, to);
}

export type Part = readonly [from: number, text: string];

/** A record: texts placed over blanks. */
export function recordOf(...parts: readonly Part[]): string {
  const columns = Array.from({ length: WIDTH }, () => ' ');
  for (const [from, text] of parts) columns.splice(from - 1, text.length, ...text);
  return columns.slice(0, WIDTH).join('');
}

/** A number with leading zeros. */
export function zeros(value: bigint | number | string, width: number): string {
  return String(value).padStart(width, '0');
}

/** DDMMAAAA; undefined for anything that is not a day. */
export function dayIn(text: string): CivilDay | undefined {
  const [, day = '', month = '', year = ''] = /^(\d\d)(\d\d)(\d{4})$/.exec(text) ?? [];
  const moment = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  const isReal = moment.getUTCDate() === Number(day) && moment.getUTCMonth() === Number(month) - 1;
  return year !== '' && isReal ? `${year}-${month}-${day}` : undefined;
}

export function textOfDay(day: CivilDay | undefined): string {
  return day === undefined ? '00000000' : day.split('-').toReversed().join('');
}

/** An amount of digits only; undefined for anything else. */
export function centsIn(text: string): bigint | undefined {
  return /^\d+$/.test(text) ? BigInt(text) : undefined;
}
