// Refuses a charge that no boleto can carry, whatever its bank.
import { checkCeiling } from '../ceiling.ts';
import type { PaymentRequest, Refusal } from '../rail.ts';
import { dueDateFactor, MAX_BOLETO_CENTS } from './barcode.ts';

export function checkBoleto({ amountCents, dueDay }: PaymentRequest): Refusal | undefined {
  // The barcode holds the due day as a number of four digits, which begins again every 9,000 days.
  if (dueDateFactor(dueDay) === undefined) {
    return {
      path: 'dueAt',
      code: 'due_date_out_of_range',
      message: 'is a day that a boleto cannot name: it must lie between 2000-07-03 and 2049-10-13',
    };
  }
  return checkCeiling('boleto', MAX_BOLETO_CENTS, amountCents);
}

/** Most banks register a boleto only for a payer with an address. */
export function checkBoletoAddress(address: Readonly<Record<string, string>>): Refusal[] {
  return ['street', 'city', 'state', 'postalCode']
    .filter(field => !address[field])
    .map(field => ({ path: `customer.address.${field}`, code: 'required', message: 'is required for a boleto' }));
}
