// Bradesco. The free field has no check digit; the check digit of a printed nosso número covers the carteira too.

import type { Agreement } from '../agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from '../bank.ts';
import { defineBank } from '../boleto/bank.ts';
import { modulo11 } from '../boleto/digits.ts';
import { code, digits, text } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from '../norm-sent.ts';
import { fieldsFrom } from '../record.ts';
import { CHEQUES_AND_CONFIRMATIONS } from '../shared-occurrences.ts';
import type { FileSource, LotSource, TitleSource } from '../sources.ts';

const TWO_TO_SEVEN = [2, 3, 4, 5, 6, 7] as const;

const boleto = defineBank({
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

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();

const OUR_NUMBER_DIGITS = 11;

/** Carteira with three digits, five zeros, number and check digit. */
function numberText({ account }: Agreement, ourNumber: string): string {
  const number = plainNumber(boleto, account, ourNumber).slice(-OUR_NUMBER_DIGITS - 1);
  return `${(account.carteira ?? '').padStart(3, '0')}00000${number}`;
}

export const bradesco: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '084', lot: '042' }),
  needs: ['agencyDigit', 'accountDigit', 'beneficiaryCode'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 999,
  occurrences: { codes: CHEQUES_AND_CONFIRMATIONS },
  ourNumberIn: text => digitsAt(text, 8, 8 + OUR_NUMBER_DIGITS),
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('código do cliente', 33, 52, digits, ({ agreement }) => agreement.account.beneficiaryCode),
      bankName: ofFile('nome do banco', 103, 132, text, 'BRADESCO'),
      density: ofFile('densidade', 167, 171, digits, '01600'),
    },
    lotHeader: {
      ...LOT_HEADER,
      agreement: ofLot('código do cliente', 34, 53, digits, ({ agreement }) => agreement.account.beneficiaryCode),
    },
    P: {
      ...SEGMENT_P,
      ourNumber: ofTitle('nosso número', 38, 57, code, ({ agreement, title }) =>
        numberText(agreement, title.ourNumber),
      ),
      collectingAgencyDigit: ofTitle('DV da agência cobradora', 106, 106, code, '0'),
    },
    Q: SEGMENT_Q,
    R: SEGMENT_R,
    lotTrailer: LOT_TRAILER,
    fileTrailer: FILE_TRAILER,
  },
  returned: returned(SEGMENT_T),
};
