// Sicoob. Every title is the only instalment of its contract; days to a write-off are not read.

import type { Agreement } from './agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from './bank.ts';
import { sicoob } from './boleto/bank-756.ts';
import { blanks, code, digits, words } from './kinds.ts';
import { SEGMENT_T } from './norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from './norm-sent.ts';
import { fieldsFrom } from './record.ts';
import type { FileSource, TitleSource } from './sources.ts';

const ofFile = fieldsFrom<FileSource>();
const ofTitle = fieldsFrom<TitleSource>();

const ONLY_INSTALMENT = '01';
/** Without a printed form («A4 sem envelopamento»). */
const FORM = '4';

function numberText({ account }: Agreement, ourNumber: string): string {
  const number = plainNumber(sicoob, account, ourNumber).padStart(10, '0');
  return `${number}${ONLY_INSTALMENT}${account.modality ?? ''}${FORM}`;
}

export const cnab756: CnabBank = {
  boleto: sicoob,
  versionsOf: () => ({ file: '081', lot: '040' }),
  needs: ['agencyDigit', 'accountNumber', 'accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  ourNumberIn: text => digitsAt(text, 2, 9),
  sent: {
    fileHeader: { ...FILE_HEADER, bankName: ofFile('nome do banco', 103, 132, words, 'SICOOB') },
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
