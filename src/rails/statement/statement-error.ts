// The error that refuses a whole statement. A single line that cannot be read is a fault, not an error.

/** The message is shown to the operator: it says what to do and contains nothing of the statement. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
}
