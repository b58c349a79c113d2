// The codes by which a return reports what happened to a title («código de movimento retorno», C044 of the norm): their texts, and
// what each means for a charge. A bank may have its own codes.
import { CNAB_BANKS } from './banks.ts';
import { type Occurrence, type Occurrences, occurrence as of } from './occurrence.ts';

const NORM: Occurrences = {
  '01': of('confirmed', 'printing of titles confirmed'),
  '02': of('registered', 'registered'),
  '03': of('rejected', 'registration rejected'),
  '04': of('other', 'moved into this carteira'),
  '05': of('other', 'moved out of this carteira'),
  '06': of('paid', 'paid'),
  '07': of('confirmed', 'discount confirmed'),
  '08': of('confirmed', 'end of discount confirmed'),
  '09': of('written_off', 'written off'),
  '11': of('other', 'still open'),
  '12': of('confirmed', 'rebate confirmed'),
  '13': of('confirmed', 'end of rebate confirmed'),
  '14': of('due_day_changed', 'change of due day confirmed'),
  '15': of('confirmed', 'acceptance of late payment confirmed'),
  '17': of('paid', 'paid after write-off, or without registration'),
  '19': of('confirmed', 'protest confirmed'),
  '20': of('confirmed', 'end of protest confirmed'),
  '23': of('other', 'sent to a notary'),
  '24': of('other', 'taken back from a notary'),
  '25': of('written_off', 'protested and written off'),
  '26': of('refused', 'instruction refused'),
  '27': of('confirmed', 'change of other data confirmed'),
  '28': of('fee', 'fee charged'),
  '29': of('other', 'objection of the payer'),
  '30': of('refused', 'change of data refused'),
  '33': of('confirmed', 'change of credit sharing confirmed'),
  '34': of('confirmed', 'end of credit sharing confirmed'),
  '35': of('confirmed', 'payer added'),
  '36': of('confirmed', 'payer changed'),
  '37': of('confirmed', 'payer removed'),
  '38': of('other', 'boletos for stored payers issued'),
  '39': of('refused', 'change of a payer refused'),
  '40': of('rejected', 'registration for a stored payer rejected'),
  '41': of('refused', 'change of a stored payer refused'),
  '42': of('confirmed', 'change of species confirmed'),
  '43': of('confirmed', 'change of carteira confirmed'),
  '44': of('reversed', 'payment or write-off reversed'),
  '45': of('other', 'data changed'),
  '46': of('confirmed', 'negative listing confirmed'),
  '51': of('other', 'known to the electronic presentation of boletos (DDA)'),
  '52': of('other', 'not known to the electronic presentation of boletos (DDA)'),
  '53': of('refused', 'refused by the clearing of boletos (CIP)'),
  '54': of('confirmed', 'accepted by the clearing of boletos (CIP)'),
};

const UNKNOWN = of('unknown', 'not known here');

/** All codes of a bank. */
export function occurrencesOf(bank: string): Occurrences {
  const own = CNAB_BANKS.get(bank)?.occurrences;
  return own?.isComplete ? own.codes : { ...NORM, ...own?.codes };
}

export function occurrenceOf(bank: string, code: string): Occurrence {
  const own = CNAB_BANKS.get(bank)?.occurrences;
  return own?.codes[code] ?? (own?.isComplete ? UNKNOWN : (NORM[code] ?? UNKNOWN));
}
