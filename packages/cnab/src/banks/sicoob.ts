// Sicoob. The agency is the cooperative, the receiver's code is the client's number with its check digit, and every slip is the only
// instalment of its title. Days to a write-off are not read.

import type { Agreement } from '../agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from '../bank.ts';
import { defineBank } from '../boleto/bank.ts';
import { modulo11OrZero } from '../boleto/digits.ts';
import { blanks, code, digits, text } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from '../norm-sent.ts';
import { type Occurrences, occurrence as of } from '../occurrence.ts';
import { fieldsFrom } from '../record.ts';
import { CHEQUES_AND_CONFIRMATIONS } from '../shared-occurrences.ts';
import type { FileSource, TitleSource } from '../sources.ts';

/** The bank lists them as 3, 1, 9, 7 from the left; over 21 digits that is 3, 7, 9, 1 from the right. */
const WEIGHTS = [3, 7, 9, 1] as const;
const ONLY_INSTALMENT = '01';

const boleto = defineBank({
  code: '756',
  name: 'Sicoob',
  widths: () => ({ agency: 4, beneficiaryCode: 7, carteira: 1, modality: 2 }),
  ourNumberDigits: () => 7,
  numberedBy: ['agency', 'beneficiaryCode'],
  freeField: ({ agency, beneficiaryCode, carteira, modality }, ourNumber) => {
    const digit = checkDigit(agency, beneficiaryCode, ourNumber);
    return `${carteira}${agency}${modality}${beneficiaryCode}${ourNumber}${digit}0${ONLY_INSTALMENT}`;
  },
  formatOurNumber: ({ agency, beneficiaryCode }, ourNumber) =>
    `${ourNumber}-${checkDigit(agency, beneficiaryCode, ourNumber)}`,
});

function checkDigit(cooperative: string, client: string, ourNumber: string): number {
  return modulo11OrZero(cooperative + client.padStart(10, '0') + ourNumber, WEIGHTS);
}

const ofFile = fieldsFrom<FileSource>();
const ofTitle = fieldsFrom<TitleSource>();

/** Without a printed form («A4 sem envelopamento»). */
const FORM = '4';

function numberText({ account }: Agreement, ourNumber: string): string {
  const number = plainNumber(boleto, account, ourNumber).padStart(10, '0');
  return `${number}${ONLY_INSTALMENT}${account.modality ?? ''}${FORM}`;
}

const OCCURRENCES: Occurrences = {
  ...CHEQUES_AND_CONFIRMATIONS,
  '55': of('confirmed', 'end of the fine confirmed'),
  '56': of('confirmed', 'fine confirmed'),
  '57': of('confirmed', 'change of interest confirmed'),
  '58': of('confirmed', 'change of a discount confirmed'),
  '59': of('confirmed', 'change of the beneficiary confirmed'),
  '60': of('confirmed', 'end of interest confirmed'),
};

export const sicoob: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '081', lot: '040' }),
  needs: ['agencyDigit', 'accountNumber', 'accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  occurrences: { codes: OCCURRENCES },
  ourNumberIn: text => digitsAt(text, 2, 9),
  sent: {
    fileHeader: { ...FILE_HEADER, bankName: ofFile('nome do banco', 103, 132, text, 'SICOOB') },
    lotHeader: LOT_HEADER,
    P: {
      ...SEGMENT_P,
      ourNumber: ofTitle('nosso número, parcela, modalidade e formulário', 38, 57, code, ({ agreement, title }) =>
        numberText(agreement, title.ourNumber),
      ),
      collection: ofTitle('carteira', 58, 58, digits, ({ agreement }) => agreement.account.carteira),
      registration: ofTitle('forma de cadastramento', 59, 59, digits, '0'),
      documentKind: ofTitle('tipo de documento', 60, 60, blanks),
      interestCode: ofTitle('código dos juros', 118, 118, digits, ({ title }) => (title.interestPercent ? '2' : '0')),
      writeOffCode: ofTitle('código de baixa', 224, 224, digits),
      writeOffDays: ofTitle('dias para baixa', 225, 227, blanks),
    },
    Q: SEGMENT_Q,
    R: SEGMENT_R,
    lotTrailer: LOT_TRAILER,
    fileTrailer: FILE_TRAILER,
  },
  returned: returned(SEGMENT_T),
};
