// The refusals a caller can meet. Only `http/` turns a code into a status number.

/** One thing wrong with an input: where, a word for machines, a sentence for people. */
export type Fault = { readonly path: string; readonly code: string; readonly message: string };

export type ErrorCode =
  | 'invalid_request'
  | 'malformed_request'
  | 'not_found'
  | 'external_id_conflict'
  | 'idempotency_key_reused'
  | 'charge_refused'
  | 'wrong_state'
  | 'reference_conflict'
  | 'wallet_exists'
  | 'price_unavailable'
  | 'unavailable';

type Details = {
  /** Every fault of the input, all at once. */
  readonly faults?: readonly Fault[];
  /** The charge an answer is about, such as the first one under a repeated externalId. */
  readonly chargeId?: string;
  /** The wallet that has the address already. */
  readonly walletId?: string;
  readonly cause?: unknown;
};

/** An expected refusal. Its message is shown to the caller: it never holds a secret, a document or a name. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly chargeId: string | undefined;
  readonly walletId: string | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.faults = details.faults ?? [];
    this.chargeId = details.chargeId;
    this.walletId = details.walletId;
  }
}

/** Refuses an input, naming every fault. */
export function invalidRequest(faults: readonly Fault[]): AppError {
  const [first] = faults;
  const message =
    faults.length === 1 && first
      ? `${first.path === '' ? 'The request' : first.path} ${first.message}.`
      : `${faults.length} fields are wrong; see errors.`;
  return new AppError('invalid_request', message, { faults });
}

/** The service cannot start as asked. The command line prints the message alone and leaves with exit code 2. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
