// The agreement of a simulated bank with a customer: where headers name the customer, which versions it accepts, the form of a nosso
// número. From the published layouts of the banks.
import { at, zeros } from './columns.ts';
import type { Customer } from './customer.ts';

/** Columns that must have this text. */
export type Demand = { readonly from: number; readonly text: string; readonly label: string };

export type BankRules = {
  readonly versions: readonly (readonly [file: string, lot: string])[];
  /** What a file header, a lot header and a segment P must have about the customer. */
  fileHeader(customer: Customer): readonly Demand[];
  lotHeader(customer: Customer): readonly Demand[];
  segmentP(customer: Customer): readonly Demand[];
  /** The column where a file header names the holder's kind of document, and the document up to column 32. */
  readonly holderAt: number;
  /** Whether a file header has a time. */
  readonly hasTime: boolean;
  /** The columns of the nosso número in a segment P, and in a segment T: the last ones where that has less room. */
  readonly numberInP: readonly [from: number, to: number];
  readonly numberInT: readonly [from: number, to: number];
  /** Whether the text of those columns is a number of this customer with right check digits. */
  isNumber(text: string, customer: Customer): boolean;
  /** True: interest is an amount per day; false: a percent per month. */
  readonly hasDailyInterest: boolean;
  /** The codes of discounts that it takes: `0` where a discount has no code. */
  readonly discountCodes: readonly string[];
  /** The columns of the days until a write-off; absent where they are not read. */
  readonly writeOffDays?: readonly [from: number, to: number];
  readonly documentNumber: readonly [from: number, to: number];
  readonly currency: readonly [from: number, text: string];
  /** The lot trailer has counts and totals of the titles. */
  readonly hasTotals: boolean;
  /** Whether it accepts a segment Y-03 with a pix key. */
  readonly hasPix: boolean;
  /** Its codes for these occurrences; absent if it does not report them. */
  readonly codes: {
    readonly refused: string;
    readonly paidAfterWriteOff: string;
    readonly reversed?: string;
  };
  /** The layout of its returns. */
  readonly returned: {
    /** The customer's fields of the file header; absent: the same as in a file to the bank. */
    fileHeader?(customer: Customer): readonly Demand[];
    readonly title: TitlePlaces;
    /** How many columns of the account come back. */
    readonly accountWidth: number;
    readonly reasons: number;
    /** The trailers count the records of titles alone. */
    readonly countsTitleRecordsAlone?: true;
  };
};

/** The first columns of the fields of a segment T. */
type TitlePlaces = {
  readonly document: number;
  readonly due: number;
  readonly amount: number;
  readonly ownId: number;
  readonly payer: number;
  readonly fee: number;
  readonly reasons: number;
};

export const demand = (from: number, text: string, label: string): Demand => ({ from, text, label });
export const account = (
  from: number,
  { agency = '', agencyDigit = '', accountNumber = '', accountDigit = '' }: Customer,
) => [
  demand(from, zeros(agency, 5) + agencyDigit, 'agency'),
  demand(from + 6, zeros(accountNumber, 12) + accountDigit, 'account'),
];

/** According to the norm. */
export const NORM = {
  holderAt: 18,
  hasTime: true,
  numberInP: [38, 57],
  numberInT: [38, 57],
  hasDailyInterest: false,
  discountCodes: ['1', '2', '3', '4', '5', '6'],
  codes: { refused: '26', paidAfterWriteOff: '17', reversed: '44' },
  documentNumber: [63, 77],
  currency: [228, '09'],
  hasTotals: true,
  hasPix: false,
  segmentP: (customer: Customer) => account(18, customer),
  returned: {
    title: { document: 59, due: 74, amount: 82, ownId: 106, payer: 133, fee: 199, reasons: 214 },
    accountWidth: 20,
    reasons: 5,
  },
} as const satisfies Partial<BankRules>;

/** The first demand that a record does not meet. */
export function unmet(line: string, demands: readonly Demand[]): Demand | undefined {
  return demands.find(({ from, text }) => at(line, from, from + text.length - 1) !== text);
}
