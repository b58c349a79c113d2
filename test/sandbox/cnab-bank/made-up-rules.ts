// The made-up bank's own side: what it requires of a file, and how it answers. Independent of the layout, as for the other simulated banks.
import { modulo10 } from '../../../src/sandbox/cnab-bank/check-digits.ts';
import { zeros } from '../../../src/sandbox/cnab-bank/columns.ts';
import { account, type BankRules, demand, NORM } from '../../../src/sandbox/cnab-bank/rules.ts';

export const madeUpRules: BankRules = {
  ...NORM,
  versions: [['100', '050']],
  fileHeader: customer => [
    demand(33, zeros(customer.beneficiaryCode ?? '', 20), 'agreement'),
    ...account(53, customer),
    demand(103, 'BANCO DO EXEMPLO', 'name'),
  ],
  lotHeader: customer => [demand(34, zeros(customer.beneficiaryCode ?? '', 20), 'agreement'), ...account(54, customer)],
  isNumber: (text, { beneficiaryCode = '' }) => {
    const [, found, number, digit] = /^(\d{5})(\d{9})(\d) {5}$/.exec(text) ?? [];
    return found === beneficiaryCode && String(modulo10(beneficiaryCode + number)) === digit;
  },
  writeOffDays: [225, 227],
  returned: { ...NORM.returned, countsTitleRecordsAlone: true },
};
