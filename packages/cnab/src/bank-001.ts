// Banco do Brasil. The agreement has its own places in both headers. Days to a write-off are not read: it is agreed on per
// agreement, or asked for by an instruction.

import type { Agreement } from './agreement.ts';
import { type CnabBank, digitsAt, INSTRUCTING, plainNumber, REGISTERING, returned } from './bank.ts';
import { bancoDoBrasil } from './boleto/bank-001.ts';
import { blanks, code, digits, words, zeros } from './kinds.ts';
import { SEGMENT_T } from './norm-returned.ts';
import { FILE_HEADER, FILE_TRAILER, LOT_HEADER, LOT_TRAILER, SEGMENT_P, SEGMENT_Q, SEGMENT_R } from './norm-sent.ts';
import { fieldsFrom } from './record.ts';
import type { FileEnd, FileSource, LotSource, TitleSource } from './sources.ts';

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

export const cnab001: CnabBank = {
  boleto: bancoDoBrasil,
  versionsOf: () => ({ file: '083', lot: '042' }),
  needs: ['agency', 'agencyDigit', 'accountNumber', 'accountDigit'],
  segmentsOf: movement => (movement === 'register' ? REGISTERING : INSTRUCTING),
  ourNumberIn: (text, account) => {
    const agreement = account.beneficiaryCode ?? '';
    if (!text.startsWith(agreement)) return undefined;
    return digitsAt(text, agreement.length, agreement.length + bancoDoBrasil.ourNumberDigits(account));
  },
  sent: {
    fileHeader: {
      ...FILE_HEADER,
      agreement: ofFile('convênio, carteira e variação', 33, 52, code, ({ agreement }) => agreementText(agreement)),
      bankName: ofFile('nome do banco', 103, 132, words, 'BANCO DO BRASIL SA'),
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
        plainNumber(bancoDoBrasil, agreement.account, title.ourNumber),
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
