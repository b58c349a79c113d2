// Caixa Econômica Federal, the layout SIGCB. The bank scatters the our number over the free field and ends it with a
// check digit: https://www.caixa.gov.br/Downloads/cobranca-caixa/ESP_COD_BARRAS_SIGCB_COBRANCA_CAIXA.pdf
import { defineBank } from './bank.ts';
import { modulo11OrZero } from './digits.ts';

/** The first two digits of each our number: a registered slip, and one that the receiver issues. */
const REGISTERED = '1';
const ISSUED_BY_RECEIVER = '4';

/** From here on codes have seven digits and take the place of six with their check digit. */
const FIRST_LONG_CODE = 1_100_000;
const LONG_CODE_DIGITS = 7;

export const caixa = defineBank({
  code: '104',
  name: 'Caixa Econômica Federal',
  widths: ({ beneficiaryCode = '' }) => ({ beneficiaryCode: beneficiaryCode.length < LONG_CODE_DIGITS ? 6 : 7 }),
  // Seven digits below the first long code are most likely six with their check digit, which is not part of the code.
  check: ({ beneficiaryCode }) =>
    beneficiaryCode.length === LONG_CODE_DIGITS && Number(beneficiaryCode) < FIRST_LONG_CODE
      ? [{ field: 'beneficiaryCode', message: `must be 6 digits without check digit, or 7 from ${FIRST_LONG_CODE} on` }]
      : [],
  ourNumberDigits: () => 15,
  freeField: ({ beneficiaryCode }, ourNumber) => {
    const receiver =
      beneficiaryCode.length === LONG_CODE_DIGITS ? beneficiaryCode : beneficiaryCode + modulo11OrZero(beneficiaryCode);
    const [first, middle, last] = [ourNumber.slice(0, 3), ourNumber.slice(3, 6), ourNumber.slice(6)];
    const digits = receiver + first + REGISTERED + middle + ISSUED_BY_RECEIVER + last;
    return digits + modulo11OrZero(digits);
  },
  formatOurNumber: (_, ourNumber) => {
    const number = REGISTERED + ISSUED_BY_RECEIVER + ourNumber;
    return `${number}-${modulo11OrZero(number)}`;
  },
});
