// What the simulated bank knows of its customer and of the files that it has agreed to: where its headers name him, which versions
// it takes, and how a nosso número is made up. From the published layouts of the banks.

import { modulo10, modulo11 } from './check-digits.ts';
import { at, zeros } from './columns.ts';

export type Customer = {
  /** Three digits. */
  readonly bank: string;
  readonly holderDocument: string;
  readonly agency?: string;
  readonly agencyDigit?: string;
  readonly accountNumber?: string;
  readonly accountDigit?: string;
  readonly carteira?: string;
  readonly beneficiaryCode?: string;
  readonly modality?: string;
  readonly variation?: string;
  readonly transmissionCode?: string;
  readonly fileVersion?: string;
  readonly lotVersion?: string;
};

/** Columns that must have this text. */
export type Demand = { readonly from: number; readonly text: string; readonly label: string };

export type BankRules = {
  readonly versions: readonly (readonly [file: string, lot: string])[];
  /** What a file header, a lot header and a segment P must say of the customer. */
  fileHeader(customer: Customer): readonly Demand[];
  lotHeader(customer: Customer): readonly Demand[];
  segmentP(customer: Customer): readonly Demand[];
  /** The columns of the nosso número in a segment P, and in a segment T. */
  readonly numberInP: readonly [from: number, to: number];
  readonly numberInT: readonly [from: number, to: number];
  /** Whether the text of those columns is a number of this customer with right check digits. */
  isNumber(text: string, customer: Customer): boolean;
  /** Interest is an amount a day, else a percent a month. */
  readonly hasDailyInterest: boolean;
  /** The columns of the days until a write-off; absent where they are not read. */
  readonly writeOffDays?: readonly [from: number, to: number];
  readonly documentNumber: readonly [from: number, to: number];
  readonly currency: readonly [from: number, text: string];
  /** The lot trailer has counts and totals of the titles. */
  readonly hasTotals: boolean;
  /** Takes a segment Y-03 with a pix key. */
  readonly hasPix: boolean;
  /** The codes by which it tells of some things; absent: it does not tell of them. */
  readonly codes: {
    readonly refused: string;
    readonly paidAfterWriteOff: string;
    readonly reversed?: string;
  };
};

const demand = (from: number, text: string, label: string): Demand => ({ from, text, label });
const account = (from: number, { agency = '', agencyDigit = '', accountNumber = '', accountDigit = '' }: Customer) => [
  demand(from, zeros(agency, 5) + agencyDigit, 'agency'),
  demand(from + 6, zeros(accountNumber, 12) + accountDigit, 'account'),
];

const NORM = {
  numberInP: [38, 57],
  numberInT: [38, 57],
  hasDailyInterest: false,
  codes: { refused: '26', paidAfterWriteOff: '17', reversed: '44' },
  writeOffDays: [225, 227],
  documentNumber: [63, 77],
  currency: [228, '09'],
  hasTotals: true,
  hasPix: false,
  segmentP: (customer: Customer) => account(18, customer),
} as const;

/** Banco do Brasil. */
function agreementOfBb({ beneficiaryCode = '', carteira = '', variation = '' }: Customer): string {
  return `${zeros(beneficiaryCode, 9)}0014${zeros(carteira, 2)}${zeros(variation, 3)}  `;
}
const { writeOffDays: _, ...withoutDays } = NORM;
const bancoDoBrasil: BankRules = {
  ...withoutDays,
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

/** Itaú: the check digit of the account stands where the norm has that of agency and account together. */
const ofItau = (from: number, { agency = '', accountNumber = '', accountDigit = '' }: Customer) => [
  demand(from, `0${agency} 0000000${accountNumber} ${accountDigit}`, 'agency and account'),
];
/** Carteiras whose check digit covers neither agency nor account. */
const NUMBER_ALONE_AT_ITAU: readonly string[] = ['112', '126', '131', '146', '150', '168'];
const itau: BankRules = {
  ...NORM,
  versions: [['040', '030']],
  fileHeader: customer => [demand(33, ' '.repeat(20), 'agreement'), ...ofItau(53, customer)],
  lotHeader: customer => [demand(34, ' '.repeat(20), 'agreement'), ...ofItau(54, customer)],
  segmentP: customer => [...ofItau(18, customer), demand(58, '00000', 'codes'), demand(73, '     ', 'reserved')],
  isNumber: (text, { agency = '', accountNumber = '', carteira = '' }) => {
    const [, found, number, digit] = /^(\d{3})(\d{8})(\d) {8}$/.exec(text) ?? [];
    const before = NUMBER_ALONE_AT_ITAU.includes(carteira) ? '' : agency + accountNumber;
    return found === carteira && String(modulo10(before + carteira + number)) === digit;
  },
  hasDailyInterest: true,
  codes: { refused: '16', paidAfterWriteOff: '06' },
  writeOffDays: [225, 226],
  documentNumber: [63, 72],
  currency: [227, '000'],
};

/** Bradesco. */
const codeOfBradesco = ({ beneficiaryCode = '' }: Customer) => zeros(beneficiaryCode, 20);
const bradesco: BankRules = {
  ...NORM,
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

/** Santander. */
const santander: BankRules = {
  ...NORM,
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
  writeOffDays: [226, 227],
  currency: [228, '00'],
  hasTotals: false,
  hasPix: true,
};

/** Caixa: the code of the beneficiary stands in the place of an account. */
const caixa: BankRules = {
  ...NORM,
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

/** Sicoob. */
const WEIGHTS_OF_SICOOB = [3, 1, 9, 7];
const sicoob: BankRules = {
  ...withoutDays,
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
    const sum = [...all].reduce((total, one, index) => total + Number(one) * WEIGHTS_OF_SICOOB[index % 4]!, 0);
    const rest = sum % 11;
    return found === modality && digit === String(rest < 2 ? 0 : 11 - rest);
  },
};

export const RULES: Readonly<Record<string, BankRules>> = {
  '001': bancoDoBrasil,
  '033': santander,
  '104': caixa,
  '237': bradesco,
  '341': itau,
  '756': sicoob,
};

/** The first demand that a record does not meet. */
export function unmet(line: string, demands: readonly Demand[]): Demand | undefined {
  return demands.find(({ from, text }) => at(line, from, from + text.length - 1) !== text);
}
