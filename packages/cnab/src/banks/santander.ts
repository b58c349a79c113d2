// Santander. The headers name the customer by a transmission code, and the records of a title have the account twice, so that
// most columns up to the nosso número differ from the norm; in returns the whole segment T is shifted.
// The free field holds the receiver's code, the nosso número with its check digit, and the carteira.

import { documentType } from '../agreement.ts';
import { type CnabBank, digitsAt, plainNumber, REGISTERING, returned } from '../bank.ts';
import { defineBank } from '../boleto/bank.ts';
import { modulo11OrZero } from '../boleto/digits.ts';
import { interestADay } from '../decimals.ts';
import { blanks, cents, code, day, digits, document, text, zeros } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import {
  FILE_HEADER,
  FILE_TRAILER,
  LOT_HEADER,
  LOT_TRAILER,
  SEGMENT_P,
  SEGMENT_Q,
  SEGMENT_R,
  SEGMENT_Y03,
} from '../norm-sent.ts';
import { fieldsFrom, readField, without } from '../record.ts';
import type { FileEnd, FileSource, LotEnd, LotSource, TitleSource } from '../sources.ts';

const boleto = defineBank({
  code: '033',
  name: 'Santander',
  widths: () => ({ beneficiaryCode: 7, carteira: 3 }),
  ourNumberDigits: () => 12,
  numberedBy: ['beneficiaryCode'],
  freeField: ({ beneficiaryCode, carteira }, ourNumber) =>
    `9${beneficiaryCode}${ourNumber}${modulo11OrZero(ourNumber)}0${carteira}`,
  formatOurNumber: (_, ourNumber) => `${ourNumber}-${modulo11OrZero(ourNumber)}`,
});

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();
const ofFileEnd = fieldsFrom<FileEnd>();

const ACCOUNT = ['agency', 'agencyDigit', 'account', 'accountDigit', 'checkDigit'] as const;
const DEBIT = ['debitAgency', 'debitAgencyDigit', 'debitAccount', 'debitAccountDigits'] as const;

export const santander: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '040', lot: '030' }),
  needs: ['agency', 'agencyDigit', 'accountNumber', 'accountDigit', 'transmissionCode'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : ['P']),
  maxWriteOffDays: 99,
  discounts: { codes: ['1', '2'], most: 2 },
  countsTitleRecordsAlone: true,
  ourNumberIn: text => digitsAt(text.trim().padStart(13, '0'), 0, 12),
  sent: {
    fileHeader: {
      ...without(FILE_HEADER, ...ACCOUNT, 'agreement', 'density', 'reservedBank', 'reservedHolder', 'reserved212'),
      ...fileHeaderRows(),
    },
    lotHeader: {
      ...without(LOT_HEADER, ...ACCOUNT, 'creditDay'),
      transmissionCode: ofLot('código de transmissão', 54, 68, digits, ({ agreement }) => agreement.transmissionCode),
      reserved69: ofLot('reservado', 69, 73, blanks),
      reserved208: ofLot('reservado', 200, 240, blanks),
    },
    P: {
      ...SEGMENT_P,
      agency: ofTitle('agência', 18, 21, digits, ({ agreement }) => agreement.account.agency),
      agencyDigit: ofTitle('DV da agência', 22, 22, code, ({ agreement }) => agreement.account.agencyDigit),
      account: ofTitle('conta', 23, 31, digits, ({ agreement }) => agreement.account.accountNumber),
      accountDigit: ofTitle('DV da conta', 32, 32, code, ({ agreement }) => agreement.account.accountDigit),
      creditAccount: ofTitle('conta de cobrança', 33, 41, digits, ({ agreement }) => agreement.account.accountNumber),
      checkDigit: ofTitle('DV da conta de cobrança', 42, 42, code, ({ agreement }) => agreement.account.accountDigit),
      reserved43: ofTitle('reservado', 43, 44, blanks),
      ourNumber: ofTitle('nosso número', 45, 57, code, ({ agreement, title }) =>
        plainNumber(boleto, agreement.account, title.ourNumber),
      ),
      issuedBy: ofTitle('reservado', 61, 61, code),
      deliveredBy: ofTitle('reservado', 62, 62, code),
      interestCode: ofTitle('código dos juros', 118, 118, digits, ({ title }) => (title.interestPercent ? '1' : '3')),
      interest: ofTitle('juros por dia', 127, 141, cents, ({ title }) =>
        interestADay(title.amountCents - (title.abatementCents ?? 0n), title.interestPercent ?? '0'),
      ),
      reserved225: ofTitle('reservado', 225, 225, zeros),
      writeOffCode: ofTitle('código de baixa', 224, 224, digits, ({ title }) =>
        title.writeOffDays === undefined ? '3' : '1',
      ),
      writeOffDays: ofTitle('dias para baixa', 226, 227, digits, ({ title }) => title.writeOffDays),
      currency: ofTitle('moeda', 228, 229, digits, '00'),
      contract: ofTitle('reservado', 230, 239, blanks),
    },
    Q: {
      ...SEGMENT_Q,
      otherBank: ofTitle('carnê', 210, 221, zeros),
      otherNumber: ofTitle('reservado', 222, 232, blanks),
    },
    R: {
      ...without(SEGMENT_R, 'payerOccurrence', 'debitBank', ...DEBIT, 'debitNotice', 'reserved232'),
      discount3Code: ofTitle('reservado', 42, 42, zeros),
      discount3Day: ofTitle('reservado', 43, 50, zeros),
      discount3: ofTitle('reservado', 51, 65, zeros),
      reserved180: ofTitle('reservado', 180, 240, blanks),
    },
    Y03: SEGMENT_Y03,
    lotTrailer: {
      bank: LOT_TRAILER.bank,
      lot: LOT_TRAILER.lot,
      recordType: LOT_TRAILER.recordType,
      reserved9: LOT_TRAILER.reserved9,
      records: LOT_TRAILER.records,
      reserved24: ofLotEnd('reservado', 24, 240, blanks),
    },
    fileTrailer: { ...FILE_TRAILER, accounts: ofFileEnd('reservado', 30, 35, blanks) },
  },
  returned: returned({
    ...without(SEGMENT_T, 'checkDigit'),
    agency: readField('agência', 18, 21, digits),
    agencyDigit: readField('DV da agência', 22, 22, code),
    account: readField('conta', 23, 31, digits),
    accountDigit: readField('DV da conta', 32, 32, code),
    reserved33: readField('reservado', 33, 40, blanks),
    ourNumber: readField('nosso número', 41, 53, code),
    collection: readField('carteira', 54, 54, code),
    documentNumber: readField('seu número', 55, 69, code),
    dueDay: readField('vencimento', 70, 77, day),
    amount: readField('valor', 78, 92, cents),
    receivingBank: readField('banco recebedor', 93, 95, digits),
    receivingAgency: readField('agência recebedora', 96, 99, digits),
    receivingAgencyDigit: readField('DV da agência recebedora', 100, 100, code),
    ownId: readField('uso da empresa', 101, 125, code),
    currency: readField('moeda', 126, 127, digits),
    payerType: readField('tipo de inscrição do pagador', 128, 128, code),
    payerDocument: readField('inscrição do pagador', 129, 143, document),
    payerName: readField('nome do pagador', 144, 183, text),
    contract: readField('conta de cobrança', 184, 193, code),
    fee: readField('tarifa', 194, 208, cents),
    reasons: readField('motivos da ocorrência', 209, 218, code),
    reserved224: readField('reservado', 219, 240, blanks),
  }),
};

function fileHeaderRows() {
  return {
    reserved9: ofFile('reservado', 9, 16, blanks),
    holderType: ofFile('tipo de inscrição', 17, 17, digits, ({ agreement }) => documentType(agreement.holder.document)),
    holderDocument: ofFile('inscrição da empresa', 18, 32, document, ({ agreement }) => agreement.holder.document),
    transmissionCode: ofFile('código de transmissão', 33, 47, digits, ({ agreement }) => agreement.transmissionCode),
    reserved48: ofFile('reservado', 48, 72, blanks),
    bankName: ofFile('nome do banco', 103, 132, text, 'BANCO SANTANDER'),
    time: ofFile('reservado', 152, 157, blanks),
    reserved167: ofFile('reservado', 167, 240, blanks),
  };
}
