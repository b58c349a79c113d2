// The one error a statement is refused with as a whole. A single line that cannot be read is a fault, not an error.

/** The message is shown to the operator: it says what to do and holds nothing of the statement's content. */
export class StatementError extends Error {
  override readonly name = 'StatementError';
}
