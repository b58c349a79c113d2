/** The PSP cannot start, or cannot take a client, as asked. */
export class PspError extends Error {
  override readonly name = 'PspError';
}
