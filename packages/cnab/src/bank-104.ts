// Caixa, layout SIGCB. The beneficiary code stands where other banks have the account; its length decides the version.

import type { Agreement } from './agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from './bank.ts';
import { caixa } from './boleto/bank-104.ts';
import { blanks, code, digits, words, zeros } from './kinds.ts';
import { SEGMENT_T } from './norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from './norm-sent.ts';
import { fieldsFrom, readField, without } from './record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();
const ofFileEnd = fieldsFrom<FileEnd>();

const LONG_CODE_DIGITS = 7;
const codeOf = ({ account }: Agreement) => account.beneficiaryCode ?? '';
/** The code, then zeros. */
const codeIn = (width: number) => (from: FileSource) => codeOf(from.agreement).padEnd(width, '0');

export const cnab104: CnabBank = {
  boleto: caixa,
  versionsOf: agreement =>
    codeOf(agreement).length === LONG_CODE_DIGITS ? { file: '107', lot: '067' } : { file: '101', lot: '060' },
  needs: ['agency', 'agencyDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 999,
  // The first two of the 17 digits say that it is registered and who has printed it.
  ourNumberIn: text => digitsAt(text.trim(), 2, 17),
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('convênio', 33, 52, zeros),
      account: ofFile('código do beneficiário', 59, 70, code, codeIn(12)),
      accountDigit: ofFile('reservado', 71, 71, zeros),
      checkDigit: ofFile('reservado', 72, 72, zeros),
      bankName: ofFile('nome do banco', 103, 132, words, 'CAIXA ECONOMICA FEDERAL'),
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
        plainNumber(caixa, agreement.account, title.ourNumber).slice(0, -1),
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
