// The account that a boleto pays into, as the contract with the bank names it, and whether a layout can hold it.

/** No bank needs all of it: `checkAccount` of a bank says what is missing. Everything is text, for zeros in front count. */
export type BoletoAccount = {
  /** The branch, «agência» or «cooperativa», without its check digit. */
  readonly agency?: string;
  /** Without its check digit. */
  readonly accountNumber?: string;
  readonly accountDigit?: string;
  /** «Carteira»: the kind of collection agreed on with the bank. */
  readonly wallet?: string;
  /** The bank's name for the receiver: «convênio», «código do beneficiário», «código do cliente». */
  readonly beneficiaryCode?: string;
  /** «Modalidade», a word of Sicoob. */
  readonly modality?: string;
};

export type AccountField = keyof BoletoAccount;

/** One thing that keeps an account from being used; the message follows the field's name in a sentence. */
export type AccountProblem = { readonly field: AccountField; readonly message: string };

/** The fields a layout needs and how many digits it has for each. */
export type FieldWidths = { readonly [field in AccountField]?: number };

/**
 * Codes are written in full: a short one is a mistake that zeros in front would hide. A number may leave its zeros out.
 */
const CODES: readonly AccountField[] = ['wallet', 'modality'];

/** Every needed field that is missing, is not digits, or does not fit. */
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
