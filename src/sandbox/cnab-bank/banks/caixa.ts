// Caixa: the code of the beneficiary stands in the place of an account.
import { zeros } from '../columns.ts';
import { type BankRules, demand, NORM } from '../rules.ts';

export const caixa: BankRules = {
  ...NORM,
  writeOffDays: [225, 227],
  versions: [
    ['050', '030'],
    ['101', '060'],
    ['107', '067'],
  ],
  fileHeader: ({ agency = '', agencyDigit = '', beneficiaryCode = '' }) => [
    demand(33, '0'.repeat(20), 'agreement'),
    demand(53, zeros(agency, 5) + agencyDigit, 'agency'),
    demand(59, beneficiaryCode.padEnd(14, '0'), 'beneficiary code'),
    demand(192, 'REMESSA-PRODUCAO', 'kind of file'),
  ],
  lotHeader: ({ agency = '', agencyDigit = '', beneficiaryCode = '' }) => [
    demand(34, beneficiaryCode.padEnd(20, '0'), 'beneficiary code'),
    demand(54, zeros(agency, 5) + agencyDigit, 'agency'),
  ],
  segmentP: ({ agency = '', agencyDigit = '', beneficiaryCode = '' }) => [
    demand(18, zeros(agency, 5) + agencyDigit, 'agency'),
    demand(24, beneficiaryCode.padEnd(14, '0'), 'beneficiary code'),
    demand(74, '    ', 'reserved'),
  ],
  numberInT: [40, 56],
  isNumber: text => /^00014\d{15}$/.test(text),
  documentNumber: [63, 73],
};
