// Where a bank gives a code of C044 another meaning than the norm, or has codes of its own. As https://github.com/eduardokum/laravel-boleto
// has them; not held against the manuals of the banks.
import { type Occurrences, occurrence as of } from './occurrence.ts';

/** `isComplete`: no code of the norm counts beside these. */
export type OwnOccurrences = { readonly isComplete?: true; readonly codes: Occurrences };

/** Money that is not sure yet is no payment. */
const CHEQUES: Occurrences = {
  '44': of('reversed', 'paid by a cheque that came back'),
  '50': of('other', 'paid by a cheque that is not cleared yet'),
};

const BRADESCO_AND_SICOOB: Occurrences = {
  ...CHEQUES,
  '35': of('confirmed', 'end of a direct debit confirmed'),
  '36': of('confirmed', 'message to the payer confirmed'),
  '37': of('other', 'message to the payer refused'),
  '38': of('confirmed', 'change of the last payable day confirmed'),
  '39': of('confirmed', 'end of the last payable day confirmed'),
  '40': of('confirmed', 'change of the document number confirmed'),
  '41': of('confirmed', 'change of the own id confirmed'),
  '42': of('confirmed', 'change of the payer confirmed'),
  '43': of('confirmed', 'change of the guarantor confirmed'),
  '45': of('other', 'a cheque was cleared'),
  '46': of('confirmed', 'end of protest confirmed'),
  '47': of('confirmed', 'protest for a bankruptcy confirmed'),
  '48': of('confirmed', 'move to another carteira confirmed'),
  '49': of('other', 'contract changed'),
  '54': of('written_off', 'written off while listed as unpaid, without protest'),
  '73': of('confirmed', 'negative listing confirmed'),
};

const SICOOB: Occurrences = {
  ...BRADESCO_AND_SICOOB,
  '55': of('confirmed', 'end of the fine confirmed'),
  '56': of('confirmed', 'fine confirmed'),
  '57': of('confirmed', 'change of interest confirmed'),
  '58': of('confirmed', 'change of a discount confirmed'),
  '59': of('confirmed', 'change of the beneficiary confirmed'),
  '60': of('confirmed', 'end of interest confirmed'),
};

/** What it reports during the day comes again as a payment. */
const CAIXA: Occurrences = {
  '46': of('announced', 'paid, told during the day'),
  '47': of('reversed', 'payment of the day reversed'),
  '61': of('confirmed', 'change of the amount confirmed'),
  '62': of('confirmed', 'change of the smallest or largest amount confirmed'),
};

const ITAU: Occurrences = {
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
  ...allOf('fee charged', [
    '26',
    '27',
    '28',
    '29',
    '30',
    '33',
    '34',
    '35',
    '36',
    '37',
    '38',
    '39',
    '40',
    '41',
    '42',
    '43',
  ]),
  ...allOf('fee charged', [
    '44',
    '45',
    '46',
    '48',
    '51',
    '52',
    '53',
    '54',
    '55',
    '56',
    '61',
    '62',
    '80',
    '82',
    '83',
    '85',
  ]),
  ...allOf('fee charged', ['86', '87', '88', '89', '90', '91', '92', '93']),
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

function allOf(words: string, codes: readonly string[]): Occurrences {
  return Object.fromEntries(codes.map(code => [code, of('fee', words)]));
}

export const OWN_OCCURRENCES: Readonly<Record<string, OwnOccurrences>> = {
  '001': { codes: CHEQUES },
  '104': { codes: CAIXA },
  '237': { codes: BRADESCO_AND_SICOOB },
  '341': { isComplete: true, codes: ITAU },
  '756': { codes: SICOOB },
};
