// The refusals a caller can meet. Only `http/` turns a code into a status number.

/** A fault of an input: its path, a code for programs, a message for people. */
export type Fault = { readonly path: string; readonly code: string; readonly message: string };

/**
 * Outages, one code for each cause. Such an error says nothing about the request, which may succeed later.
 */
export const OUTAGES = [
  /** The database cannot be reached or does not answer. */
  'database_unavailable',
  /** The database answers, but a statement, a lock or a conflict of transactions took too long. */
  'database_timeout',
  /** A limit is reached: requests in flight, a full batch queue, no free database connection. */
  'overloaded',
  /** This node cannot do its work: a background loop has stopped, or its clock is far off. */
  'not_ready',
  /** This node is shutting down. */
  'stopping',
  /** A bank or PSP does not answer. */
  'rail_unavailable',
  /** No node of a network answers. */
  'chain_unavailable',
  /** Price sources do not answer, are stale or too far apart. */
  'price_unavailable',
  /** A setting is missing that only an operator can give. */
  'not_configured',
] as const;
export type Outage = (typeof OUTAGES)[number];

export type ErrorCode =
  | 'invalid_request'
  | 'malformed_request'
  | 'not_found'
  | 'unauthorized'
  | 'missing_scope'
  | 'fresh_login_needed'
  | 'key_expires'
  | 'cross_site_request'
  | 'refund_above_limit'
  | 'rate_limited'
  | 'external_id_conflict'
  | 'idempotency_key_reused'
  | 'charge_refused'
  | 'wrong_state'
  | 'reference_conflict'
  | 'possible_duplicate'
  | 'customer_exists'
  | 'wallet_exists'
  | 'wallet_blocked'
  | 'second_key_needed'
  | 'order_refused'
  | 'too_many_streams'
  | Outage;

/** The object that existed first, by its kind. */
export type FirstThere =
  | { readonly chargeId: string }
  | { readonly customerId: string }
  | { readonly instalmentPlanId: string }
  | { readonly planId: string }
  | { readonly subscriptionId: string }
  | { readonly mandateId: string }
  | { readonly walletId: string }
  | { readonly transactionId: string }
  /** The reference of a payment. */
  | { readonly duplicateOf: string };

type Details = {
  /** Every fault of the input, all at once. */
  readonly faults?: readonly Fault[];
  /** The object that existed first, such as the charge under a repeated externalId. */
  readonly first?: FirstThere;
  readonly cause?: unknown;
};

/** An expected refusal. Its message is shown to the caller, so it never contains a secret, a document or a name. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly faults: readonly Fault[];
  readonly first: FirstThere | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.faults = details.faults ?? [];
    this.first = details.first;
  }
}

export function isOutage(error: unknown): error is AppError & { readonly code: Outage } {
  return error instanceof AppError && (OUTAGES as readonly ErrorCode[]).includes(error.code);
}

/** Outages of banks, chains and price sources. */
const OUTAGES_OF_OTHERS: readonly ErrorCode[] = ['rail_unavailable', 'chain_unavailable', 'price_unavailable'];

/** Another system does not answer: the work waits and has not failed, and a stack trace would not help. */
export function isOutageOfOthers(error: unknown): error is AppError {
  return error instanceof AppError && OUTAGES_OF_OTHERS.includes(error.code);
}

/** Refuses a name under which the caller may see nothing: the same words for what does not exist and for what is another account's. */
export function noSuch(noun: string): AppError {
  return new AppError('not_found', `There is no such ${noun}.`);
}

export function requireFound<T>(found: T | undefined, noun: string): T {
  if (found === undefined) throw noSuch(noun);
  return found;
}

/** Refuses an input, reporting every fault. */
export function invalidRequest(faults: readonly Fault[]): AppError {
  const [first] = faults;
  const message =
    faults.length === 1 && first
      ? `${first.path === '' ? 'The request' : first.path} ${first.message}.`
      : `${faults.length} fields are wrong; see errors.`;
  return new AppError('invalid_request', message, { faults });
}

/** The service cannot start as asked. The command line prints only the message and exits with code 2. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** A dependency is unavailable and may come back, so a retry of the start may succeed: exit code 1. */
export class AwayError extends StartError {
  override readonly name = 'AwayError';
}
