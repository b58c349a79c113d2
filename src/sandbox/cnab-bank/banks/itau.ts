// Itaú.
import { modulo10 } from '../check-digits.ts';
import type { Customer } from '../customer.ts';
import { type BankRules, demand, NORM } from '../rules.ts';

/** The check digit of the account is where the norm has the joint digit of agency and account. */
const ofItau = (from: number, { agency = '', accountNumber = '', accountDigit = '' }: Customer) => [
  demand(from, `0${agency} 0000000${accountNumber} ${accountDigit}`, 'agency and account'),
];

/** Carteiras whose check digit covers neither agency nor account. */
const NUMBER_ALONE: readonly string[] = ['112', '126', '131', '146', '150', '168'];

export const itau: BankRules = {
  ...NORM,
  versions: [['040', '030']],
  fileHeader: customer => [demand(33, ' '.repeat(20), 'agreement'), ...ofItau(53, customer)],
  lotHeader: customer => [demand(34, ' '.repeat(20), 'agreement'), ...ofItau(54, customer)],
  segmentP: customer => [...ofItau(18, customer), demand(58, '00000', 'codes'), demand(73, '     ', 'reserved')],
  isNumber: (text, { agency = '', accountNumber = '', carteira = '' }) => {
    const [, found, number, digit] = /^(\d{3})(\d{8})(\d) {8}$/.exec(text) ?? [];
    const before = NUMBER_ALONE.includes(carteira) ? '' : agency + accountNumber;
    return found === carteira && String(modulo10(before + carteira + number)) === digit;
  },
  hasDailyInterest: true,
  discountCodes: ['0'],
  codes: { refused: '16', paidAfterWriteOff: '06' },
  writeOffDays: [225, 226],
  documentNumber: [63, 72],
  currency: [227, '000'],
  // The last two columns say how it was settled.
  returned: { ...NORM.returned, reasons: 4 },
};
