// The error that refuses a whole file: one that is no CNAB 240, and one that cannot be written.

/** The message is shown to the operator: it says what is wrong and contains nothing of the file. */
export class CnabError extends Error {
  override readonly name = 'CnabError';
}
