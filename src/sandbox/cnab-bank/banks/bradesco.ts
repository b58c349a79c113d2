// Bradesco.
import { modulo11 } from '../check-digits.ts';
import { zeros } from '../columns.ts';
import type { Customer } from '../customer.ts';
import { account, type BankRules, demand, NORM } from '../rules.ts';

const codeOfBradesco = ({ beneficiaryCode = '' }: Customer) => zeros(beneficiaryCode, 20);

export const bradesco: BankRules = {
  ...NORM,
  writeOffDays: [225, 227],
  versions: [['084', '042']],
  fileHeader: customer => [
    demand(33, codeOfBradesco(customer), 'client code'),
    ...account(53, customer),
    demand(72, ' ', 'digit of agency and account'),
  ],
  lotHeader: customer => [demand(34, codeOfBradesco(customer), 'client code'), ...account(54, customer)],
  segmentP: customer => [...account(18, customer), demand(37, ' ', 'digit of agency and account')],
  isNumber: (text, { carteira = '' }) => {
    const [, found, number, digit] = /^(\d{3})00000(\d{11})([\dP])$/.exec(text) ?? [];
    if (found !== zeros(carteira, 3)) return false;
    const rest = modulo11(zeros(carteira, 2) + number, 7);
    return digit === (rest === 1 ? 'P' : String(rest === 0 ? 0 : 11 - rest));
  },
};
