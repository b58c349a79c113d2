// The barcode of a boleto (44 digits) and its digitable line (47 digits), as defined by FEBRABAN.
import assert from 'node:assert/strict';
import { type CivilDay, daysBetween } from '../days.ts';
import { modulo10, modulo11 } from './digits.ts';

/** The barcode holds ten digits of cents. */
export const MAX_BOLETO_CENTS = 9_999_999_999n;

const FIRST_DAY: CivilDay = '1997-10-07';
/** On this day the four digits of the due-date factor were exhausted, and it started again at 1000. */
const SECOND_COUNT: CivilDay = '2025-02-22';
const REAL = '9';

type Boleto = {
  readonly bank: string;
  readonly dueDay: CivilDay;
  readonly amountCents: bigint;
  /** The bank's own 25 digits, «campo livre». */
  readonly freeField: string;
};

/** The due-date factor of a day; undefined for a day that the barcode cannot express. */
export function dueDateFactor(day: CivilDay): number | undefined {
  const secondDays = daysBetween(SECOND_COUNT, day);
  const factor = secondDays >= 0 ? 1000 + secondDays : daysBetween(FIRST_DAY, day);
  return factor >= 1000 && factor <= 9999 ? factor : undefined;
}

export function boletoBarcode({ bank, dueDay, amountCents, freeField }: Boleto): string {
  const factor = dueDateFactor(dueDay);
  assert(factor !== undefined, 'the barcode cannot express this due date');
  assert(amountCents >= 1n && amountCents <= MAX_BOLETO_CENTS, 'the barcode cannot hold this amount');
  assert(/^\d{3}$/.test(bank) && /^\d{25}$/.test(freeField), 'a bank has 3 digits, its free field 25');
  const head = bank + REAL;
  const tail = `${factor}${String(amountCents).padStart(10, '0')}${freeField}`;
  return head + barcodeDigit(head + tail) + tail;
}

/** The digitable line: the barcode rearranged into five fields, the first three with a check digit each. */
export function digitableLine(barcode: string): string {
  const field1 = barcode.slice(0, 4) + barcode.slice(19, 24);
  const field2 = barcode.slice(24, 34);
  const field3 = barcode.slice(34, 44);
  return [field1, field2, field3].map(field => field + modulo10(field)).join('') + barcode[4] + barcode.slice(5, 19);
}

/** The same barcode with another due day: the first digits name it. Undefined where it cannot be expressed. */
export function withDueDay(barcode: string, dueDay: CivilDay): string | undefined {
  const factor = dueDateFactor(dueDay);
  if (factor === undefined) return undefined;
  const [head, tail] = [barcode.slice(0, 4), `${factor}${barcode.slice(9)}`];
  return head + barcodeDigit(head + tail) + tail;
}

const LINE = /^(\d{4})(\d{5})\d(\d{10})\d(\d{10})\d(\d)(\d{14})$/;

/** The barcode of a digitable line; undefined when the text is not such a line or has a wrong check digit. */
export function barcodeOfLine(line: string): string | undefined {
  const [, head = '', free1 = '', free2 = '', free3 = '', digit = '', tail = ''] = LINE.exec(line) ?? [];
  const barcode = head + digit + tail + free1 + free2 + free3;
  if (line === '' || digitableLine(barcode) !== line) return undefined;
  return barcodeDigit(head + barcode.slice(5)) === Number(digit) ? barcode : undefined;
}

/** Modulo 11 over the other 43 digits; the check digit is never 0, so 10 and 11 are written as 1. */
function barcodeDigit(digits: string): number {
  const digit = modulo11(digits);
  return digit > 9 ? 1 : digit;
}
