/** A rail has not decided yet, or its reply was lost: the job is tried again later. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}
