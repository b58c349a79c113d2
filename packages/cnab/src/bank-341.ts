// Itaú. The check digit of the account stands one column later than in the norm, interest is an amount a day only, and most
// codes of a title are not used.

import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from './bank.ts';
import { itau } from './boleto/bank-341.ts';
import { interestADay } from './decimals.ts';
import { blanks, cents, code, digits, words, zeros } from './kinds.ts';
import { SEGMENT_T } from './norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from './norm-sent.ts';
import { fieldsFrom, readField, without } from './record.ts';
import type { FileSource, LotEnd, LotSource, TitleSource } from './sources.ts';

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();

export const cnab341: CnabBank = {
  boleto: itau,
  versionsOf: () => ({ file: '040', lot: '030' }),
  needs: ['accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 99,
  ourNumberIn: text => digitsAt(text, 3, 11),
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agencyDigit: ofFile('reservado', 58, 58, blanks),
      accountDigit: ofFile('reservado', 71, 71, blanks),
      checkDigit: ofFile('DAC da conta', 72, 72, code, ({ agreement }) => agreement.account.accountDigit),
      bankName: ofFile('nome do banco', 103, 132, words, 'BANCO ITAU SA'),
      reserved212: ofFile('reservado', 212, 240, code, `${' '.repeat(14)}000`),
    },
    lotHeader: {
      ...LOT_HEADER,
      reserved12: ofLot('reservado', 12, 13, zeros),
      agencyDigit: ofLot('reservado', 59, 59, blanks),
      accountDigit: ofLot('reservado', 72, 72, blanks),
      checkDigit: ofLot('DAC da conta', 73, 73, code, ({ agreement }) => agreement.account.accountDigit),
    },
    P: {
      ...SEGMENT_P,
      agencyDigit: ofTitle('reservado', 23, 23, blanks),
      accountDigit: ofTitle('reservado', 36, 36, blanks),
      checkDigit: ofTitle('DAC da conta', 37, 37, code, ({ agreement }) => agreement.account.accountDigit),
      ourNumber: ofTitle('carteira, nosso número e DAC', 38, 57, code, ({ agreement, title }) =>
        plainNumber(itau, agreement.account, title.ourNumber),
      ),
      collection: ofTitle('reservado', 58, 58, zeros),
      registration: ofTitle('reservado', 59, 59, zeros),
      documentKind: ofTitle('reservado', 60, 60, zeros),
      issuedBy: ofTitle('reservado', 61, 61, zeros),
      deliveredBy: ofTitle('reservado', 62, 62, zeros),
      documentNumber: ofTitle('número do documento', 63, 72, code, ({ title }) => title.documentNumber),
      reserved73: ofTitle('reservado', 73, 77, blanks),
      collectingAgencyDigit: ofTitle('DAC da agência cobradora', 106, 106, zeros),
      // The bank has codes of its own: 01 is a «duplicata mercantil», and 02 a promissory note.
      species: ofTitle('espécie', 107, 108, digits, ({ agreement }) => agreement.species ?? '01'),
      interestCode: ofTitle('reservado', 118, 118, zeros),
      interest: ofTitle('juros por dia', 127, 141, cents, ({ title }) =>
        interestADay(title.amountCents, title.interestPercent ?? '0'),
      ),
      writeOffDays: ofTitle('dias para baixa', 225, 226, digits, ({ title }) => title.writeOffDays),
      currency: ofTitle('reservado', 227, 229, zeros),
    },
    Q: {
      ...SEGMENT_Q,
      payerName: ofTitle('nome do pagador', 34, 63, words, ({ title }) => title.payer.name),
      reserved64: ofTitle('reservado', 64, 73, blanks),
    },
    R: SEGMENT_R,
    lotTrailer: { ...LOT_TRAILER, notice: ofLotEnd('aviso de lançamento', 116, 123, zeros) },
    fileTrailer: FILE_TRAILER,
  },
  returned: returned({
    ...without(SEGMENT_T, 'reserved224'),
    reasons: readField('motivos da ocorrência', 214, 221, code),
    settlement: readField('código de liquidação', 222, 223, code),
    reserved224: readField('reservado', 224, 240, blanks),
  }),
};
