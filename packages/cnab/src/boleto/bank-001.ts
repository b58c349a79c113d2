// Banco do Brasil. The length of the agreement («convênio») decides the layout: with 7 digits only the our number
// follows it, with 4 or 6 digits also the agency and the account. The bank's «Especificações técnicas para confecção de
// boleto de cobrança» has all three.
import type { BoletoAccount } from './account.ts';
import { defineBank } from './bank.ts';
import { modulo11 } from './digits.ts';

/** The number of digits of the our number for each length of the agreement. */
const OUR_NUMBER_DIGITS: { readonly [length: number]: number } = { 4: 7, 6: 5, 7: 10 };
const LONGEST = 7;

const lengthOf = ({ beneficiaryCode = '' }: BoletoAccount): number => beneficiaryCode.length;

export const bancoDoBrasil = defineBank({
  code: '001',
  name: 'Banco do Brasil',
  widths: account => {
    const length = lengthOf(account);
    return length === 4 || length === 6
      ? { agency: 4, accountNumber: 8, carteira: 2, beneficiaryCode: length }
      : { carteira: 2, beneficiaryCode: LONGEST };
  },
  // A shorter agreement padded with zeros would be another receiver, so the length is checked before padding.
  check: (_, account) =>
    lengthOf(account) in OUR_NUMBER_DIGITS ? [] : [{ field: 'beneficiaryCode', message: 'must be 4, 6 or 7 digits' }],
  ourNumberDigits: account => OUR_NUMBER_DIGITS[lengthOf(account)] ?? 0,
  numberedBy: ['beneficiaryCode'],
  freeField: ({ agency, accountNumber, carteira, beneficiaryCode }, ourNumber) =>
    beneficiaryCode.length === LONGEST
      ? `000000${beneficiaryCode}${ourNumber}${carteira}`
      : beneficiaryCode + ourNumber + agency + accountNumber + carteira,
  formatOurNumber: ({ beneficiaryCode }, ourNumber) => {
    const number = beneficiaryCode + ourNumber;
    return beneficiaryCode.length === LONGEST ? number : `${number}-${checkDigit(number)}`;
  },
});

function checkDigit(number: string): string {
  const digit = modulo11(number);
  if (digit === 10) return 'X';
  return digit === 11 ? '0' : String(digit);
}
