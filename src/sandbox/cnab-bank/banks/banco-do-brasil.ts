// Banco do Brasil.
import { zeros } from '../columns.ts';
import type { Customer } from '../customer.ts';
import { account, type BankRules, demand, NORM } from '../rules.ts';

function agreementOfBb({ beneficiaryCode = '', carteira = '', variation = '' }: Customer): string {
  return `${zeros(beneficiaryCode, 9)}0014${zeros(carteira, 2)}${zeros(variation, 3)}  `;
}

export const bancoDoBrasil: BankRules = {
  ...NORM,
  versions: [
    ['083', '042'],
    ['084', '043'],
    ['030', '020'],
    ['000', '000'],
  ],
  fileHeader: customer => [demand(33, agreementOfBb(customer), 'agreement'), ...account(53, customer)],
  lotHeader: customer => [demand(34, agreementOfBb(customer), 'agreement'), ...account(54, customer)],
  segmentP: customer => [
    ...account(18, customer),
    demand(58, { 11: '1', 12: '1', 17: '7' }[customer.carteira ?? ''] ?? '', 'carteira'),
  ],
  isNumber: (text, { beneficiaryCode = '' }) => text.startsWith(beneficiaryCode) && /^\d{17} {3}$/.test(text),
};
