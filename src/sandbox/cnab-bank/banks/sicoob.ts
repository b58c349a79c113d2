// Sicoob.
import { zeros } from '../columns.ts';
import { account, type BankRules, demand, NORM } from '../rules.ts';

const WEIGHTS = [3, 1, 9, 7];

export const sicoob: BankRules = {
  ...NORM,
  versions: [
    ['081', '040'],
    ['087', '045'],
  ],
  fileHeader: customer => [demand(33, ' '.repeat(20), 'agreement'), ...account(53, customer)],
  lotHeader: customer => [demand(34, ' '.repeat(20), 'agreement'), ...account(54, customer)],
  segmentP: customer => [...account(18, customer), demand(224, '0   ', 'write-off')],
  isNumber: (text, { agency = '', beneficiaryCode = '', modality = '' }) => {
    const [, number = '', digit, found] = /^00(\d{7})(\d)01(\d\d)4 {5}$/.exec(text) ?? [];
    const all = zeros(agency, 4) + zeros(beneficiaryCode, 10) + number;
    const sum = [...all].reduce((total, one, index) => total + Number(one) * WEIGHTS[index % 4]!, 0);
    const rest = sum % 11;
    return found === modality && digit === String(rest < 2 ? 0 : 11 - rest);
  },
};
