// Santander. Its returns have the account number in the columns where files to it have the transmission code.
import { modulo11 } from '../check-digits.ts';
import { zeros } from '../columns.ts';
import { type BankRules, demand, NORM } from '../rules.ts';

export const santander: BankRules = {
  ...NORM,
  holderAt: 17,
  hasTime: false,
  versions: [['040', '030']],
  fileHeader: ({ transmissionCode = '' }) => [
    demand(33, transmissionCode, 'transmission code'),
    demand(48, ' '.repeat(25), 'reserved'),
    demand(152, ' '.repeat(6), 'time'),
  ],
  lotHeader: ({ transmissionCode = '' }) => [demand(54, transmissionCode, 'transmission code')],
  segmentP: ({ agency = '', agencyDigit = '', accountNumber = '', accountDigit = '' }) => [
    demand(18, `${zeros(agency, 4)}${agencyDigit}`, 'agency'),
    demand(23, `${zeros(accountNumber, 9)}${accountDigit}`.repeat(2), 'account, twice'),
    demand(43, '  ', 'reserved'),
    demand(225, '0', 'reserved'),
  ],
  numberInP: [45, 57],
  numberInT: [41, 53],
  isNumber: text => {
    const [, number = '', digit] = /^(\d{12})(\d)$/.exec(text) ?? [];
    const rest = modulo11(number, 9);
    return number !== '' && digit === String(rest < 2 ? 0 : 11 - rest);
  },
  hasDailyInterest: true,
  discountCodes: ['1', '2'],
  writeOffDays: [226, 227],
  currency: [228, '00'],
  hasTotals: false,
  hasPix: true,
  returned: {
    fileHeader: ({ agency = '', agencyDigit = '', accountNumber = '', accountDigit = '', beneficiaryCode = '' }) => [
      demand(33, `${zeros(agency, 4)}${agencyDigit}${zeros(accountNumber, 9)}${accountDigit}`, 'account'),
      demand(53, zeros(beneficiaryCode, 9), 'beneficiary code'),
    ],
    title: { document: 55, due: 70, amount: 78, ownId: 101, payer: 128, fee: 194, reasons: 209 },
    accountWidth: 15,
    reasons: 5,
    countsTitleRecordsAlone: true,
  },
};
