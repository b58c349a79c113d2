// The bank account that a boleto pays into, as the contract with the bank names it, and the check of its fields.

/** No bank needs all fields: `checkAccount` of a bank lists the missing ones. All are text, because leading zeros count. */
export type BoletoAccount = {
  /** The branch, «agência» or «cooperativa», without its check digit. */
  readonly agency?: string;
  /** Without its check digit. */
  readonly accountNumber?: string;
  readonly accountDigit?: string;
  /** The kind of collection agreed on with the bank. */
  readonly carteira?: string;
  /** The bank's name for the receiver: «convênio», «código do beneficiário», «código do cliente». */
  readonly beneficiaryCode?: string;
  /** «Modalidade»; used by Sicoob only. */
  readonly modality?: string;
};

export type AccountField = keyof BoletoAccount;

/** Why an account cannot be used; the message follows the name of the field in a sentence. */
export type AccountProblem = { readonly field: AccountField; readonly message: string };

/** The fields that a layout needs, and the number of digits of each. */
export type FieldWidths = { readonly [field in AccountField]?: number };

/**
 * Codes must have all their digits: padding a short one with zeros would hide a mistake. Numbers may omit leading zeros.
 */
const CODES: readonly AccountField[] = ['carteira', 'modality'];

/** Every needed field that is missing, has other characters than digits, or has the wrong length. */
export function checkFields(account: BoletoAccount, widths: FieldWidths): AccountProblem[] {
  const problems: AccountProblem[] = [];
  for (const [field, width] of Object.entries(widths) as [AccountField, number][]) {
    const value = account[field] ?? '';
    const atLeast = CODES.includes(field) ? width : 1;
    if (value === '') problems.push({ field, message: 'is required' });
    else if (!/^\d+$/.test(value) || value.length < atLeast || value.length > width) {
      const count = atLeast === width ? `${width}` : `1 to ${width}`;
      problems.push({ field, message: `must be ${count} ${count === '1' ? 'digit' : 'digits'}` });
    }
  }
  return problems;
}
