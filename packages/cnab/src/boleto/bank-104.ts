// Caixa Econômica Federal, the layout SIGCB. The our number is split over the free field, which ends with a check
// digit: https://www.caixa.gov.br/Downloads/cobranca-caixa/ESP_COD_BARRAS_SIGCB_COBRANCA_CAIXA.pdf
import { defineBank } from './bank.ts';
import { modulo11OrZero } from './digits.ts';

/** The first two digits of each our number: registered, and issued by the receiver. */
const REGISTERED = '1';
const ISSUED_BY_RECEIVER = '4';

/** Codes from here on have seven digits, and take the place of a six-digit code with its check digit. */
const FIRST_LONG_CODE = 1_100_000;
const LONG_CODE_DIGITS = 7;

export const caixa = defineBank({
  code: '104',
  name: 'Caixa Econômica Federal',
  widths: ({ beneficiaryCode = '' }) => ({ beneficiaryCode: beneficiaryCode.length < LONG_CODE_DIGITS ? 6 : 7 }),
  // A smaller number with seven digits is most likely a six-digit code with its check digit, which is not part of the code.
  check: ({ beneficiaryCode }) =>
    beneficiaryCode.length === LONG_CODE_DIGITS && Number(beneficiaryCode) < FIRST_LONG_CODE
      ? [{ field: 'beneficiaryCode', message: `must be 6 digits without check digit, or 7 from ${FIRST_LONG_CODE} on` }]
      : [],
  ourNumberDigits: () => 15,
  numberedBy: ['beneficiaryCode'],
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
