// A bank that does not exist, added as a contributor would do it: this file and addBank. Its nosso número begins with the beneficiary code, it has a code
// for a payment that no other bank has, and counts records differently.
import type { Agreement, CnabBank } from '@trilho/cnab';
import {
  code,
  defineBank,
  digits,
  digitsAt,
  FILE_HEADER,
  FILE_TRAILER,
  type FileSource,
  fieldsFrom,
  INSTRUCTING,
  LOT_HEADER,
  LOT_TRAILER,
  type LotSource,
  modulo10,
  occurrence,
  plainNumber,
  REGISTERING,
  readField,
  returned,
  SEGMENT_P,
  SEGMENT_Q,
  SEGMENT_R,
  SEGMENT_T,
  type TitleSource,
  text,
} from '@trilho/cnab/layout';

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();

const NUMBER_DIGITS = 9;

const boleto = defineBank({
  code: '998',
  name: 'Banco do Exemplo',
  widths: () => ({ agency: 4, beneficiaryCode: 5, carteira: 2 }),
  ourNumberDigits: () => NUMBER_DIGITS,
  numberedBy: ['beneficiaryCode'],
  freeField: ({ agency, beneficiaryCode, carteira }, ourNumber) =>
    `${carteira}${beneficiaryCode}${ourNumber}${modulo10(beneficiaryCode + ourNumber)}${agency}0000`,
  formatOurNumber: ({ beneficiaryCode }, ourNumber) =>
    `${beneficiaryCode}/${ourNumber}-${modulo10(beneficiaryCode + ourNumber)}`,
});

export const madeUpBank: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '100', lot: '050' }),
  needs: ['accountNumber'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 60,
  countsTitleRecordsAlone: true,
  occurrences: { codes: { '70': occurrence('paid', 'paid at a partner shop') } },
  ourNumberIn: (text, { beneficiaryCode = '' }) =>
    text.startsWith(beneficiaryCode) ? digitsAt(text, 5, 5 + NUMBER_DIGITS) : undefined,
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('convênio', 33, 52, digits, ({ agreement }) => agreement.account.beneficiaryCode),
      bankName: ofFile('nome do banco', 103, 132, text, 'BANCO DO EXEMPLO'),
    },
    lotHeader: {
      ...LOT_HEADER,
      agreement: ofLot('convênio', 34, 53, digits, ({ agreement }) => agreement.account.beneficiaryCode),
    },
    P: {
      ...SEGMENT_P,
      ourNumber: ofTitle('nosso número', 38, 57, code, ({ agreement, title }) =>
        plainNumber(boleto, agreement.account, title.ourNumber),
      ),
    },
    Q: SEGMENT_Q,
    R: SEGMENT_R,
    lotTrailer: LOT_TRAILER,
    fileTrailer: FILE_TRAILER,
  },
  returned: returned({ ...SEGMENT_T, documentNumber: readField('número do documento', 59, 73, code) }),
};

export const MADE_UP_AGREEMENT: Agreement = {
  bank: '998',
  account: {
    ...{ agency: '0777', agencyDigit: '1', accountNumber: '24680', accountDigit: '2' },
    ...{ carteira: '21', beneficiaryCode: '13579' },
  },
  holder: { name: 'Padaria São João Ltda', document: '11222333000181' },
};
