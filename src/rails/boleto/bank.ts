// What a bank decides about a boleto: the 25 digits of its own in the barcode («campo livre»), how it writes «nosso
// número», the number by which we and the bank know a slip, and which accounts it can serve.
import assert from 'node:assert/strict';
import {
  type AccountField,
  type AccountProblem,
  type BoletoAccount,
  checkFields,
  type FieldWidths,
} from './account.ts';
import { zeroFilled } from './digits.ts';

/** All is pure. An our number is the sequential part alone: digits, without wallet, agreement or check digit. */
export type BoletoBank = {
  /** Three digits, as in the barcode. */
  readonly code: string;
  readonly name: string;
  /** The most digits the sequential part may have. With Banco do Brasil the account's agreement decides; 0 for a wrong one. */
  ourNumberDigits(account: BoletoAccount): number;
  /** The 25 digits. Asserts an account without problems and an our number that fits and is not zero. */
  freeField(account: BoletoAccount, ourNumber: string): string;
  /** The our number as a slip shows it, with its check digit where the bank has one. Asserts as `freeField` does. */
  formatOurNumber(account: BoletoAccount, ourNumber: string): string;
  /** Everything that keeps the bank's layout from serving this account; empty when it can. */
  checkAccount(account: BoletoAccount): readonly AccountProblem[];
};

/** An account ready for a layout: what it needs is filled to its width, and what is absent is empty. */
export type FilledAccount = { readonly [field in AccountField]: string };

/** What a bank's own file says; `defineBank` adds the guards, so that the layouts read like the bank's table. */
type Layout = {
  readonly code: string;
  readonly name: string;
  widths(account: BoletoAccount): FieldWidths;
  /** Rules beyond the width of single fields, asked once those hold: the account filled, and as it was written. */
  check?(filled: FilledAccount, account: BoletoAccount): readonly AccountProblem[];
  ourNumberDigits(account: BoletoAccount): number;
  freeField(account: FilledAccount, ourNumber: string): string;
  formatOurNumber(account: FilledAccount, ourNumber: string): string;
};

const FREE_FIELD = /^\d{25}$/;
const SOME_DIGIT = /[1-9]/;

/** A bank from its layout. A wrong barcode sends money astray, so what does not fit stops here instead of being cut. */
export function defineBank(layout: Layout): BoletoBank {
  const checkAccount = (account: BoletoAccount): readonly AccountProblem[] => {
    const widths = layout.widths(account);
    const problems = checkFields(account, widths);
    return problems.length > 0 ? problems : (layout.check?.(fill(account, widths), account) ?? []);
  };
  const ready = (account: BoletoAccount, ourNumber: string): [FilledAccount, string] => {
    const [problem] = checkAccount(account);
    assert(problem === undefined, `bank ${layout.code}: ${problem?.field} ${problem?.message}`);
    // To several banks zero means: number it yourself. Such a slip would have another number than ours.
    assert(SOME_DIGIT.test(ourNumber), 'an our number is not zero');
    return [fill(account, layout.widths(account)), zeroFilled(ourNumber, layout.ourNumberDigits(account))];
  };
  return {
    code: layout.code,
    name: layout.name,
    ourNumberDigits: account => layout.ourNumberDigits(account),
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
    wallet: field('wallet'),
    beneficiaryCode: field('beneficiaryCode'),
    modality: field('modality'),
  };
}
