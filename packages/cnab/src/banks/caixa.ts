// Caixa Econômica Federal, the layout SIGCB. The nosso número is split over the free field, which ends with a check
// digit: https://www.caixa.gov.br/Downloads/cobranca-caixa/ESP_COD_BARRAS_SIGCB_COBRANCA_CAIXA.pdf
// In files the beneficiary code stands where other banks have the account; its length decides the version.

import type { Agreement } from '../agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from '../bank.ts';
import { defineBank } from '../boleto/bank.ts';
import { modulo11OrZero } from '../boleto/digits.ts';
import { blanks, code, digits, text, zeros } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from '../norm-sent.ts';
import { type Occurrences, occurrence as of } from '../occurrence.ts';
import { fieldsFrom, readField, without } from '../record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from '../sources.ts';

/** The first two digits of each nosso número: registered, and issued by the receiver. */
const REGISTERED = '1';
const ISSUED_BY_RECEIVER = '4';

/** Codes from here on have seven digits, and take the place of a six-digit code with its check digit. */
const FIRST_LONG_CODE = 1_100_000;
const LONG_CODE_DIGITS = 7;

const boleto = defineBank({
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

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();
const ofFileEnd = fieldsFrom<FileEnd>();

const codeOf = ({ account }: Agreement) => account.beneficiaryCode ?? '';
/** The code, then zeros. */
const codeIn = (width: number) => (from: FileSource) => codeOf(from.agreement).padEnd(width, '0');

/** A payment reported during the day is reported again as paid. */
const OCCURRENCES: Occurrences = {
  '46': of('announced', 'paid, announced during the day'),
  '47': of('reversed', 'payment of the day reversed'),
  '61': of('confirmed', 'change of the amount confirmed'),
  '62': of('confirmed', 'change of the smallest or largest amount confirmed'),
};

export const caixa: CnabBank = {
  boleto,
  versionsOf: agreement =>
    codeOf(agreement).length === LONG_CODE_DIGITS ? { file: '107', lot: '067' } : { file: '101', lot: '060' },
  needs: ['agency', 'agencyDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 999,
  occurrences: { codes: OCCURRENCES },
  // The first two of the 17 digits say that it is registered and who has printed it.
  ourNumberIn: text => digitsAt(text.trim(), 2, 17),
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('convênio', 33, 52, zeros),
      account: ofFile('código do beneficiário', 59, 70, code, codeIn(12)),
      accountDigit: ofFile('reservado', 71, 71, zeros),
      checkDigit: ofFile('reservado', 72, 72, zeros),
      bankName: ofFile('nome do banco', 103, 132, text, 'CAIXA ECONOMICA FEDERAL'),
      reservedHolder: ofFile('situação do arquivo', 192, 211, code, 'REMESSA-PRODUCAO'),
    },
    lotHeader: {
      ...LOT_HEADER,
      reserved12: ofLot('reservado', 12, 13, zeros),
      agreement: ofLot('código do beneficiário', 34, 53, code, codeIn(20)),
      // A long code stands in the agreement alone.
      account: ofLot('código do beneficiário', 60, 71, code, from =>
        codeOf(from.agreement).length === LONG_CODE_DIGITS ? '0'.repeat(12) : codeIn(12)(from),
      ),
      accountDigit: ofLot('reservado', 72, 72, zeros),
      checkDigit: ofLot('reservado', 73, 73, zeros),
    },
    P: {
      ...SEGMENT_P,
      account: ofTitle('código do beneficiário', 24, 35, code, codeIn(12)),
      accountDigit: ofTitle('reservado', 36, 36, zeros),
      checkDigit: ofTitle('reservado', 37, 37, zeros),
      // Without its check digit.
      ourNumber: ofTitle('nosso número', 38, 57, digits, ({ agreement, title }) =>
        plainNumber(boleto, agreement.account, title.ourNumber).slice(0, -1),
      ),
      deliveredBy: ofTitle('entrega do boleto', 62, 62, code, '0'),
      documentNumber: ofTitle('número do documento', 63, 73, code, ({ title }) => title.documentNumber),
      reserved74: ofTitle('reservado', 74, 77, blanks),
      collectingAgencyDigit: ofTitle('DV da agência cobradora', 106, 106, zeros),
    },
    Q: SEGMENT_Q,
    R: {
      ...without(SEGMENT_R, 'payerOccurrence', 'debitBank', 'debitAgency', 'debitAgencyDigit', 'debitAccount'),
      reserved180: ofTitle('reservado', 180, 228, blanks),
      debitNotice: ofTitle('reservado', 231, 231, blanks),
    },
    lotTrailer: {
      ...without(LOT_TRAILER, 'discountedTitles', 'discountedTotal', 'notice', 'reserved124'),
      reserved93: ofLotEnd('reservado', 93, 240, blanks),
    },
    fileTrailer: { ...FILE_TRAILER, accounts: ofFileEnd('reservado', 30, 35, blanks) },
  },
  returned: returned({
    ...without(SEGMENT_T, 'checkDigit'),
    account: readField('código do beneficiário', 24, 30, digits),
    accountDigit: readField('reservado', 31, 39, blanks),
    ourNumber: readField('nosso número', 40, 56, code),
    reserved57: readField('reservado', 57, 57, blanks),
    documentNumber: readField('número do documento', 59, 69, code),
    reserved70: readField('reservado', 70, 73, blanks),
  }),
};
