// Refuses a charge that cannot be paid by boleto at any bank.

import { dueDateFactor, MAX_BOLETO_CENTS } from '@trilho/cnab';
import { checkCeiling } from '../ceiling.ts';
import type { PaymentRequest, Refusal } from '../rail.ts';

export function checkBoleto({ amountCents, dueDay }: PaymentRequest): Refusal | undefined {
  // The barcode holds the due day as a number of four digits, which starts over every 9,000 days.
  if (dueDateFactor(dueDay) === undefined) {
    return {
      path: 'dueAt',
      code: 'due_date_out_of_range',
      message: 'is a day that a boleto cannot express: it must be between 2000-07-03 and 2049-10-13',
    };
  }
  return checkCeiling('boleto', MAX_BOLETO_CENTS, amountCents);
}

/** Banks register a boleto only for a payer with these parts of an address. */
const ADDRESS_FIELDS = ['street', 'city', 'state', 'postalCode'] as const;

/** Refuses a charge that no bank registers as a boleto; the refusal names all missing parts of the address. */
export function checkRegistration(request: PaymentRequest): Refusal | undefined {
  const refusal = checkBoleto(request);
  if (refusal) return refusal;
  const missing = ADDRESS_FIELDS.filter(field => !request.payer.address?.[field]?.trim());
  if (missing.length === 0) return undefined;
  const message = `lacks ${missing.join(', ')}, without which the bank does not register a boleto`;
  return { path: 'customer.address', code: 'required', message };
}
