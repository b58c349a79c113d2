// Bradesco. The free field has no check digit; the check digit of a printed our number covers the carteira too.
import { defineBank } from './bank.ts';
import { modulo11 } from './digits.ts';

const TWO_TO_SEVEN = [2, 3, 4, 5, 6, 7] as const;

export const bradesco = defineBank({
  code: '237',
  name: 'Bradesco',
  widths: () => ({ agency: 4, accountNumber: 7, carteira: 2 }),
  ourNumberDigits: () => 11,
  numberedBy: ['agency', 'accountNumber', 'carteira'],
  freeField: ({ agency, accountNumber, carteira }, ourNumber) => `${agency}${carteira}${ourNumber}${accountNumber}0`,
  formatOurNumber: ({ carteira }, ourNumber) => `${carteira}/${ourNumber}-${checkDigit(carteira + ourNumber)}`,
});

/** The letter P stands for ten. */
function checkDigit(number: string): string {
  const digit = modulo11(number, TWO_TO_SEVEN);
  if (digit === 10) return 'P';
  return digit === 11 ? '0' : String(digit);
}
