// The ids of recurrences and of requests.
import { civilDay } from '../days.ts';
import { ISPB } from '../pix-record.ts';
import type { Random } from '../random.ts';

/** `RR`, `RN` or `SC`, the ISPB, the day in Brazil and eleven characters: 29 in all. */
export function idOf(prefix: 'RR' | 'RN' | 'SC', at: Date, random: Random): string {
  return `${prefix}${ISPB}${civilDay(at).replaceAll('-', '')}${random.letters(11)}`;
}
