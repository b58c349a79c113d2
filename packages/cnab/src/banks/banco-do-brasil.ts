// Banco do Brasil. The length of the agreement («convênio») decides the layout of a boleto: with 7 digits only the nosso número
// follows it, with 4 or 6 digits also the agency and the account. The bank's «Especificações técnicas para confecção de
// boleto de cobrança» has all three. In files the agreement has its own places in both headers. Days to a write-off are not
// read: it is agreed on per agreement, or asked for by an instruction.

import type { Agreement } from '../agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from '../bank.ts';
import type { BoletoAccount } from '../boleto/account.ts';
import { defineBank } from '../boleto/bank.ts';
import { modulo11 } from '../boleto/digits.ts';
import { blanks, code, digits, text, zeros } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from '../norm-sent.ts';
import { fieldsFrom } from '../record.ts';
import { CHEQUES } from '../shared-occurrences.ts';
import type { FileEnd, FileSource, LotSource, TitleSource } from '../sources.ts';

/** The number of digits of the nosso número for each length of the agreement. */
const OUR_NUMBER_DIGITS: { readonly [length: number]: number } = { 4: 7, 6: 5, 7: 10 };
const LONGEST = 7;

const lengthOf = ({ beneficiaryCode = '' }: BoletoAccount): number => beneficiaryCode.length;

const boleto = defineBank({
  code: '001',
  name: 'Banco do Brasil',
  widths: account => {
    const length = lengthOf(account);
    return length === 4 || length === 6
      ? { agency: 4, accountNumber: 8, carteira: 2, beneficiaryCode: length }
      : { carteira: 2, beneficiaryCode: LONGEST };
  },
  // A shorter agreement padded with zeros would be another receiver, so the length is checked before padding.
  check: (_, account) =>
    lengthOf(account) in OUR_NUMBER_DIGITS ? [] : [{ field: 'beneficiaryCode', message: 'must be 4, 6 or 7 digits' }],
  ourNumberDigits: account => OUR_NUMBER_DIGITS[lengthOf(account)] ?? 0,
  numberedBy: ['beneficiaryCode'],
  freeField: ({ agency, accountNumber, carteira, beneficiaryCode }, ourNumber) =>
    beneficiaryCode.length === LONGEST
      ? `000000${beneficiaryCode}${ourNumber}${carteira}`
      : beneficiaryCode + ourNumber + agency + accountNumber + carteira,
  formatOurNumber: ({ beneficiaryCode }, ourNumber) => {
    const number = beneficiaryCode + ourNumber;
    return beneficiaryCode.length === LONGEST ? number : `${number}-${checkDigit(number)}`;
  },
});

function checkDigit(number: string): string {
  const digit = modulo11(number);
  if (digit === 10) return 'X';
  return digit === 11 ? '0' : String(digit);
}

const COLLECTION = '0014';
/** Carteiras of «cobrança simples»; 17 is «cobrança direta especial». */
const SIMPLE: readonly string[] = ['11', '12'];
const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofFileEnd = fieldsFrom<FileEnd>();

function agreementText({ account, variation = '' }: Agreement): string {
  return `${(account.beneficiaryCode ?? '').padStart(9, '0')}${COLLECTION}${account.carteira ?? ''}${variation}`;
}

export const bancoDoBrasil: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '083', lot: '042' }),
  needs: ['agency', 'agencyDigit', 'accountNumber', 'accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  occurrences: { codes: CHEQUES },
  ourNumberIn: (text, account) => {
    const agreement = account.beneficiaryCode ?? '';
    if (!text.startsWith(agreement)) return undefined;
    return digitsAt(text, agreement.length, agreement.length + boleto.ourNumberDigits(account));
  },
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('convênio, carteira e variação', 33, 52, code, ({ agreement }) => agreementText(agreement)),
      bankName: ofFile('nome do banco', 103, 132, text, 'BANCO DO BRASIL SA'),
      reservedBank: ofFile('reservado ao banco', 172, 191, zeros),
      reservedHolder: ofFile('reservado à empresa', 192, 211, zeros),
    },
    lotHeader: {
      ...LOT_HEADER,
      agreement: ofLot('convênio, carteira e variação', 34, 53, code, ({ agreement }) => agreementText(agreement)),
    },
    P: {
      ...SEGMENT_P,
      ourNumber: ofTitle('nosso número', 38, 57, code, ({ agreement, title }) =>
        plainNumber(boleto, agreement.account, title.ourNumber),
      ),
      collection: ofTitle('carteira', 58, 58, digits, ({ agreement }) =>
        SIMPLE.includes(agreement.account.carteira ?? '') ? '1' : '7',
      ),
      writeOffCode: ofTitle('código de baixa', 224, 224, digits),
      writeOffDays: ofTitle('dias para baixa', 225, 227, digits),
    },
    Q: SEGMENT_Q,
    R: SEGMENT_R,
    lotTrailer: LOT_TRAILER,
    fileTrailer: { ...FILE_TRAILER, accounts: ofFileEnd('contas para conciliação', 30, 35, blanks) },
  },
  returned: returned(SEGMENT_T),
};
