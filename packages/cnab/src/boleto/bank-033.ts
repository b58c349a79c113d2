// Santander. The free field holds the receiver's code, the our number with its check digit, and the carteira.
import { defineBank } from './bank.ts';
import { modulo11OrZero } from './digits.ts';

export const santander = defineBank({
  code: '033',
  name: 'Santander',
  widths: () => ({ beneficiaryCode: 7, carteira: 3 }),
  ourNumberDigits: () => 12,
  numberedBy: ['beneficiaryCode'],
  freeField: ({ beneficiaryCode, carteira }, ourNumber) =>
    `9${beneficiaryCode}${ourNumber}${modulo11OrZero(ourNumber)}0${carteira}`,
  formatOurNumber: (_, ourNumber) => `${ourNumber}-${modulo11OrZero(ourNumber)}`,
});
