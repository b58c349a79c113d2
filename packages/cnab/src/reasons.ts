// Texts of why something happened to a title («motivo da ocorrência», C047 of the norm): up to five codes of two characters,
// whose meaning depends on the occurrence.
import type { Meaning } from './occurrence.ts';
import { REJECTIONS } from './rejections.ts';

const FEES: Readonly<Record<string, string>> = {
  '01': 'statement of positions',
  '02': 'keeping of an overdue title',
  '03': 'stop of a protest',
  '04': 'protest',
  '05': 'other instructions',
  '06': 'other occurrences',
  '07': 'sending of a duplicate to the payer',
  '08': 'notary costs of a protest',
  '09': 'notary costs of stopping a protest',
  '10': 'costs of the distributing notary',
  '11': 'costs of a public notice',
  '12': 'return of an overdue title',
  '13': 'registration, charged at payment or write-off',
  '14': 'automatic second presentation',
  '15': 'credit sharing',
  '16': 'information by fax',
  '17': 'change of due day',
  '18': 'change of rebate or discount',
  '19': 'monthly file of open titles',
  '20': 'slip issued by the bank',
  A9: 'keeping of an overdue title',
  B1: 'write-off',
  B3: 'registration',
  F5: 'entry into the network',
  S4: 'negative listing',
  S5: 'end of a negative listing',
};

/** Of a payment: its channel. Of a write-off: who requested it. */
const CHANNELS: Readonly<Record<string, string>> = {
  '01': 'against the balance',
  '02': 'on account',
  '03': 'cash at the counter',
  '04': 'electronic clearing',
  '05': 'paper clearing',
  '06': 'by electronic means',
  '07': 'after a local holiday',
  '08': 'at a notary',
  '09': 'asked for by the bank',
  '10': 'asked for by file',
  '11': 'asked for online',
  '12': 'its time ran out, by the customer',
  '13': 'its time ran out, by the bank',
  '14': 'protested',
  '15': 'deleted',
  '30': 'cheque at the counter',
  '31': 'at a correspondent bank',
  '32': 'at a self-service machine',
  '33': 'by home banking',
  '34': 'by office banking',
  '35': 'cash at a correspondent',
  '36': 'cheque at a correspondent',
  '37': 'by telephone',
  '61': 'by pix',
};

/** The text of the channel by which a boleto was paid. */
export function channelText(code: string): string {
  return CHANNELS[code] ?? 'not known here';
}

export type Reason = { readonly code: string; readonly text: string };

/** The reasons of an occurrence; zeros and blanks mean that there is no reason. */
export function reasonsOf(meaning: Meaning, text: string): readonly Reason[] {
  const codes = text.match(/../g)?.filter(code => code.trim() !== '' && code !== '00') ?? [];
  const texts = listOf(meaning);
  return codes.map(code => ({ code, text: texts[code] ?? 'not known here' }));
}

function listOf(meaning: Meaning): Readonly<Record<string, string>> {
  switch (meaning) {
    case 'fee':
      return FEES;
    case 'paid':
    case 'written_off':
    case 'reversed':
      return CHANNELS;
    default:
      return REJECTIONS;
  }
}
