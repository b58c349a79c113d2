// Refuses a charge that no boleto can carry, whatever its bank.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Refusal } from '../rail.ts';
import { dueDateFactor } from './barcode.ts';

/** The barcode holds the due day as a number of four digits, which begins again every 9,000 days. */
export function checkDueDay(dueDay: CivilDay): Refusal | undefined {
  if (dueDateFactor(dueDay) !== undefined) return undefined;
  return {
    path: 'dueAt',
    code: 'due_date_out_of_range',
    message: 'is a day that a boleto cannot name: it must lie between 2000-07-03 and 2049-10-13',
  };
}
