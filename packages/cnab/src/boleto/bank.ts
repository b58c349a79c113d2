// The bank-specific part of a boleto: the 25 digits of its free field in the barcode («campo livre»), the format of «nosso
// número», the number that identifies the boleto at the bank, and the accounts that it supports.
import assert from 'node:assert/strict';
import {
  type AccountField,
  type AccountProblem,
  type BoletoAccount,
  checkFields,
  type FieldWidths,
} from './account.ts';
import { zeroFilled } from './digits.ts';

/** Pure functions. A nosso número is the sequential part only: digits, without carteira, agreement or check digit. */
export type BoletoBank = {
  /** Three digits, as in the barcode. */
  readonly code: string;
  readonly name: string;
  /**
   * The maximum number of digits of the sequential part. At Banco do Brasil it depends on the agreement; 0 for a wrong
   * one.
   */
  ourNumberDigits(account: BoletoAccount): number;
  /** The 25 digits. Asserts that the account is valid and that the nosso número fits and is not zero. */
  freeField(account: BoletoAccount, ourNumber: string): string;
  /** The nosso número as printed, with its check digit if the bank has one. Asserts as `freeField` does. */
  formatOurNumber(account: BoletoAccount, ourNumber: string): string;
  /** Identifies the owner of a nosso número: for two accounts with the same result, a number is one boleto at the bank. Asserts as well. */
  numberingOf(account: BoletoAccount): string;
  /** Why the layout cannot be used with this account; empty when it can. */
  checkAccount(account: BoletoAccount): readonly AccountProblem[];
};

/** An account with the needed fields zero-filled to their width; absent fields are empty. */
export type FilledAccount = { readonly [field in AccountField]: string };

/**
 * The part that each bank file defines; `defineBank` adds the checks, so that a layout reads like the table of the
 * bank.
 */
type Layout = {
  readonly code: string;
  readonly name: string;
  widths(account: BoletoAccount): FieldWidths;
  /** Further rules, checked once all widths are right; gets the zero-filled account and the original one. */
  check?(filled: FilledAccount, account: BoletoAccount): readonly AccountProblem[];
  ourNumberDigits(account: BoletoAccount): number;
  /** With a nosso número, they name one boleto at the bank. */
  readonly numberedBy: readonly AccountField[];
  freeField(account: FilledAccount, ourNumber: string): string;
  formatOurNumber(account: FilledAccount, ourNumber: string): string;
};

const FREE_FIELD = /^\d{25}$/;
const SOME_DIGIT = /[1-9]/;

/**
 * Builds a bank from its layout. A wrong barcode sends money to a wrong account, so a value that does not fit fails
 * here.
 */
export function defineBank(layout: Layout): BoletoBank {
  const checkAccount = (account: BoletoAccount): readonly AccountProblem[] => {
    const widths = layout.widths(account);
    const problems = checkFields(account, widths);
    return problems.length > 0 ? problems : (layout.check?.(fill(account, widths), account) ?? []);
  };
  const valid = (account: BoletoAccount): FilledAccount => {
    const [problem] = checkAccount(account);
    assert(problem === undefined, `bank ${layout.code}: ${problem?.field} ${problem?.message}`);
    return fill(account, layout.widths(account));
  };
  const ready = (account: BoletoAccount, ourNumber: string): [FilledAccount, string] => {
    const filled = valid(account);
    // For several banks zero means that the bank assigns the number, which would then differ from the printed one.
    assert(SOME_DIGIT.test(ourNumber), 'a nosso número is not zero');
    return [filled, zeroFilled(ourNumber, layout.ourNumberDigits(account))];
  };
  return {
    code: layout.code,
    name: layout.name,
    ourNumberDigits: account => layout.ourNumberDigits(account),
    numberingOf: account => {
      const filled = valid(account);
      return [layout.code, ...layout.numberedBy.map(field => filled[field])].join(' ');
    },
    checkAccount,
    freeField: (account, ourNumber) => {
      const freeField = layout.freeField(...ready(account, ourNumber));
      assert(FREE_FIELD.test(freeField), 'a free field has 25 digits');
      return freeField;
    },
    formatOurNumber: (account, ourNumber) => layout.formatOurNumber(...ready(account, ourNumber)),
  };
}

function fill(account: BoletoAccount, widths: FieldWidths): FilledAccount {
  const field = (name: AccountField): string => {
    const [value = '', width] = [account[name], widths[name]];
    return width === undefined ? value : zeroFilled(value, width);
  };
  return {
    agency: field('agency'),
    accountNumber: field('accountNumber'),
    accountDigit: field('accountDigit'),
    carteira: field('carteira'),
    beneficiaryCode: field('beneficiaryCode'),
    modality: field('modality'),
  };
}
