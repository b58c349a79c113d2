// Sicoob. The agency is the cooperative, the receiver's code is the client's number with its check digit, and every
// slip is the first and only instalment of its title.
import { defineBank } from './bank.ts';
import { modulo11OrZero } from './digits.ts';

/** The bank lists them as 3, 1, 9, 7 from the left; over 21 digits that is 3, 7, 9, 1 from the right. */
const WEIGHTS = [3, 7, 9, 1] as const;
const ONLY_INSTALMENT = '001';

export const sicoob = defineBank({
  code: '756',
  name: 'Sicoob',
  widths: () => ({ agency: 4, beneficiaryCode: 7, carteira: 1, modality: 2 }),
  ourNumberDigits: () => 7,
  numberedBy: ['agency', 'beneficiaryCode'],
  freeField: ({ agency, beneficiaryCode, carteira, modality }, ourNumber) => {
    const digit = checkDigit(agency, beneficiaryCode, ourNumber);
    return `${carteira}${agency}${modality}${beneficiaryCode}${ourNumber}${digit}${ONLY_INSTALMENT}`;
  },
  formatOurNumber: ({ agency, beneficiaryCode }, ourNumber) =>
    `${ourNumber}-${checkDigit(agency, beneficiaryCode, ourNumber)}`,
});

function checkDigit(cooperative: string, client: string, ourNumber: string): number {
  return modulo11OrZero(cooperative + client.padStart(10, '0') + ourNumber, WEIGHTS);
}
