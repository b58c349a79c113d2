// The error that refuses a complete file: one that is not CNAB 240, or cannot be written.

/** The message is shown to the operator: it says what is wrong and contains nothing of the file. */
export class CnabError extends Error {
  override readonly name = 'CnabError';
}
