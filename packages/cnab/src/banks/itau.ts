// Itaú. The check digit of the account stands one column later than in the norm, interest is an amount a day only, and most
// codes of a title are not used.
// Two check digits («DAC») by modulo 10 stand in the free field: one for the nosso número, one for the account.
// The rules are in an annex of the bank's manual «Cobrança bancária: intercâmbio eletrônico de arquivos».

import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from '../bank.ts';
import type { AccountProblem } from '../boleto/account.ts';
import { defineBank, type FilledAccount } from '../boleto/bank.ts';
import { modulo10 } from '../boleto/digits.ts';
import { interestADay } from '../decimals.ts';
import { blanks, cents, code, digits, text, zeros } from '../kinds.ts';
import { SEGMENT_T } from '../norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from '../norm-sent.ts';
import { type Occurrences, occurrence as of } from '../occurrence.ts';
import { fieldsFrom, readField, without } from '../record.ts';
import type { FileSource, LotEnd, LotSource, TitleSource } from '../sources.ts';

/** The check digit of their nosso número covers the carteira only, without agency and account. */
const CHECKED_WITH_CARTEIRA_ALONE: readonly string[] = ['112', '126', '131', '146', '150', '168'];
/** Their barcodes have another layout: a document number and a client code instead of the account. */
const OTHER_LAYOUT: readonly string[] = ['106', '107', '122', '142', '143', '195', '196', '198'];

const boleto = defineBank({
  code: '341',
  name: 'Itaú',
  widths: () => ({ agency: 4, accountNumber: 5, carteira: 3 }),
  check: account => [...checkCarteira(account), ...checkAccountDigit(account)],
  ourNumberDigits: () => 8,
  numberedBy: ['agency', 'accountNumber', 'carteira'],
  freeField: (account, ourNumber) => {
    const { agency, accountNumber, carteira } = account;
    return `${carteira}${ourNumber}${checkDigit(account, ourNumber)}${agency}${accountNumber}${accountDigit(account)}000`;
  },
  formatOurNumber: (account, ourNumber) => `${account.carteira}/${ourNumber}-${checkDigit(account, ourNumber)}`,
});

function checkDigit({ agency, accountNumber, carteira }: FilledAccount, ourNumber: string): number {
  const account = CHECKED_WITH_CARTEIRA_ALONE.includes(carteira) ? '' : agency + accountNumber;
  return modulo10(account + carteira + ourNumber);
}

function accountDigit({ agency, accountNumber }: FilledAccount): number {
  return modulo10(agency + accountNumber);
}

function checkCarteira({ carteira }: FilledAccount): AccountProblem[] {
  if (OTHER_LAYOUT.includes(carteira)) {
    return [{ field: 'carteira', message: 'is one whose barcode holds a document number, which is not supported' }];
  }
  return [];
}

/** If the account digit is given, it detects a mistyped agency or account before a boleto is issued. */
function checkAccountDigit(account: FilledAccount): AccountProblem[] {
  const given = account.accountDigit;
  return given === '' || given === String(accountDigit(account))
    ? []
    : [{ field: 'accountDigit', message: 'does not belong to this agency and account number' }];
}

const ofFile = fieldsFrom<FileSource>();
const ofLot = fieldsFrom<LotSource>();
const ofTitle = fieldsFrom<TitleSource>();
const ofLotEnd = fieldsFrom<LotEnd>();

/** Codes by which it charges a fee. */
const FEES = [
  '26 27 28 29 30 33 34 35 36 37 38 39 40 41 42 43 44 45 46 48',
  '51 52 53 54 55 56 61 62 80 82 83 85 86 87 88 89 90 91 92 93',
].flatMap(line => line.split(' '));

/** As in https://github.com/eduardokum/laravel-boleto; not compared with the bank's manual. */
const OCCURRENCES: Occurrences = {
  ...Object.fromEntries(FEES.map(fee => [fee, of('fee', 'fee charged')])),
  '02': of('registered', 'registered'),
  '03': of('rejected', 'registration rejected'),
  '04': of('confirmed', 'change of data confirmed'),
  '05': of('other', 'change of data: written off'),
  '06': of('paid', 'paid'),
  '08': of('paid', 'paid at a notary'),
  '09': of('written_off', 'written off'),
  '10': of('other', 'written off because it was paid'),
  '11': of('other', 'still open'),
  '12': of('confirmed', 'rebate confirmed'),
  '13': of('confirmed', 'end of rebate confirmed'),
  '14': of('due_day_changed', 'change of due day confirmed'),
  '15': of('refused', 'write-off refused'),
  '16': of('refused', 'instruction refused'),
  '17': of('refused', 'change of data refused'),
  '18': of('refused', 'instruction on pledged titles refused or pending'),
  '19': of('confirmed', 'protest confirmed'),
  '20': of('confirmed', 'end of protest confirmed'),
  '21': of('confirmed', 'order not to protest confirmed'),
  '23': of('other', 'sent to a notary'),
  '24': of('other', 'protest stopped'),
  '25': of('other', 'objection of the payer'),
  '32': of('written_off', 'protested and written off'),
  '47': of('other', 'written off to be discounted'),
  '57': of('other', 'instruction canceled'),
  '60': of('rejected', 'registration rejected'),
  '63': of('other', 'stopped by a court'),
  '74': of('refused', 'negative listing refused'),
  '75': of('confirmed', 'negative listing confirmed'),
  '77': of('confirmed', 'end of negative listing confirmed'),
  '78': of('confirmed', 'end of negative listing confirmed'),
  '79': of('other', 'news of a negative listing'),
  '94': of('confirmed', 'order against a negative listing confirmed'),
};

export const itau: CnabBank = {
  boleto,
  versionsOf: () => ({ file: '040', lot: '030' }),
  needs: ['accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  maxWriteOffDays: 99,
  discounts: { codes: ['1'], most: 3 },
  occurrences: { isComplete: true, codes: OCCURRENCES },
  ourNumberIn: text => digitsAt(text, 3, 11),
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agencyDigit: ofFile('reservado', 58, 58, blanks),
      accountDigit: ofFile('reservado', 71, 71, blanks),
      checkDigit: ofFile('DAC da conta', 72, 72, code, ({ agreement }) => agreement.account.accountDigit),
      bankName: ofFile('nome do banco', 103, 132, text, 'BANCO ITAU SA'),
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
        plainNumber(boleto, agreement.account, title.ourNumber),
      ),
      collection: ofTitle('reservado', 58, 58, zeros),
      registration: ofTitle('reservado', 59, 59, zeros),
      documentKind: ofTitle('reservado', 60, 60, zeros),
      issuedBy: ofTitle('reservado', 61, 61, zeros),
      deliveredBy: ofTitle('reservado', 62, 62, zeros),
      documentNumber: ofTitle('número do documento', 63, 72, code, ({ title }) => title.documentNumber),
      reserved73: ofTitle('reservado', 73, 77, blanks),
      collectingAgencyDigit: ofTitle('DAC da agência cobradora', 106, 106, zeros),
      // The bank has its own codes: 01 is a «duplicata mercantil», and 02 a promissory note.
      species: ofTitle('espécie', 107, 108, digits, ({ agreement }) => agreement.species ?? '01'),
      interestCode: ofTitle('reservado', 118, 118, zeros),
      interest: ofTitle('juros por dia', 127, 141, cents, ({ title }) =>
        interestADay(title.amountCents - (title.abatementCents ?? 0n), title.interestPercent ?? '0'),
      ),
      discountCode: ofTitle('reservado', 142, 142, zeros),
      writeOffDays: ofTitle('dias para baixa', 225, 226, digits, ({ title }) => title.writeOffDays),
      currency: ofTitle('reservado', 227, 229, zeros),
    },
    Q: {
      ...SEGMENT_Q,
      payerName: ofTitle('nome do pagador', 34, 63, text, ({ title }) => title.payer.name),
      reserved64: ofTitle('reservado', 64, 73, blanks),
    },
    R: {
      ...SEGMENT_R,
      discount2Code: ofTitle('reservado', 18, 18, zeros),
      discount3Code: ofTitle('reservado', 42, 42, zeros),
    },
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
