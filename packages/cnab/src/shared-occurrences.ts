// Codes of C044 that several banks have and the norm does not. As in https://github.com/eduardokum/laravel-boleto; not compared with
// the manuals of the banks.
import { type Occurrences, occurrence as of } from './occurrence.ts';

/** Money that is not final yet is not a payment. */
export const CHEQUES: Occurrences = {
  '44': of('reversed', 'paid by a cheque that came back'),
  '50': of('other', 'paid by a cheque that is not cleared yet'),
};

/** Of Bradesco and Sicoob. */
export const CHEQUES_AND_CONFIRMATIONS: Occurrences = {
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
