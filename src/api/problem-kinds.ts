// The table of problem kinds: for each code its status number, its title, the text of its page and an example.
import type { ErrorCode, Fault, FirstThere, Outage } from '../lib/errors.ts';

/** Codes that only HTTP uses, in addition to those of the application. */
type HttpCode =
  | 'method_not_allowed'
  | 'request_timeout'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'headers_too_large'
  | 'internal_error';

export type ProblemCode = ErrorCode | HttpCode;

export type ProblemKind = {
  readonly status: number;
  /** How long a caller should wait before a retry. */
  readonly retryAfterSeconds?: number;
  readonly title: string;
  /** The text of the problem's page: what happened, and what to do. */
  readonly meaning: string;
  readonly nextStep: string;
  readonly example: Particulars;
};

/** What differs between two problems of the same kind. */
export type Particulars = {
  readonly detail: string;
  readonly errors?: readonly Fault[];
  readonly first?: FirstThere | undefined;
};

const EXAMPLE_CHARGE = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
const EXAMPLE_CUSTOMER = '019a7c52-0b1e-7c3d-8a55-2e4d6f8091b3';
const EXAMPLE_WALLET = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

export const PROBLEMS = {
  invalid_request: {
    status: 400,
    title: 'The request is not valid',
    meaning: 'One or more fields or parameters are wrong. Each is named under errors; nothing was written.',
    nextStep: 'Correct every field that errors names, and send the request again.',
    example: {
      detail: 'amountCents must be at least 1.',
      errors: [{ path: 'amountCents', code: 'minimum', message: 'must be at least 1' }],
    },
  },
  malformed_request: {
    status: 400,
    title: 'The request cannot be read',
    meaning: 'The body is not JSON, the text is not UTF-8, or the address is not encoded as a URL.',
    nextStep: 'Send a body that is JSON in UTF-8, to an address that is encoded as a URL.',
    example: { detail: 'The body is not valid JSON: line 3, column 14.' },
  },
  unauthorized: {
    status: 401,
    title: 'An API key is required',
    meaning: 'The request has no valid key and no session of the dashboard. A sandbox requires neither.',
    nextStep: 'Send a key as Authorization: Bearer <key> or as X-API-Key. trilho keys list shows which keys are valid.',
    example: { detail: 'A valid API key is required, as Authorization: Bearer <key> or X-API-Key.' },
  },
  missing_scope: {
    status: 403,
    title: 'The key may not do this',
    meaning: 'The key is valid but lacks the scope named in detail.',
    nextStep: 'Use a key that has the scope, or make one with trilho keys create.',
    example: { detail: 'This key lacks the scope charges:write.' },
  },
  fresh_login_needed: {
    status: 403,
    title: 'A passkey must be shown again',
    meaning:
      'Keys, people, accounts, approvals and large refunds outlive a session, so a person must have shown a passkey within five minutes.',
    nextStep:
      'Show the passkey again in the dashboard, then repeat the request. A person without one logs in by a new link.',
    example: { detail: 'Show your passkey again: the last time is more than five minutes ago.' },
  },
  key_expires: {
    status: 403,
    title: 'The key expires',
    meaning:
      'A key that expires cannot invite people, create login links or change roles: the access would outlive the key. Nothing was done.',
    nextStep: 'Do it as an owner at the dashboard, by a key that does not expire, or by trilho people.',
    example: {
      detail: 'This key expires at 2026-12-01T00:00:00.000Z, and the access of the person would outlive it.',
    },
  },
  cross_site_request: {
    status: 403,
    title: 'Sent by another site',
    meaning:
      'A change by a session of the dashboard came from a page of another site, or without a header that states its source. Nothing was done.',
    nextStep: 'Send changes from the dashboard itself, under TRILHO_PUBLIC_URL; programs use an API key.',
    example: { detail: 'A change by a session must come from a page of this service.' },
  },
  refund_above_limit: {
    status: 403,
    title: 'More than this person may refund',
    meaning: 'The role of the person has a limit on refunds of one charge. Nothing was done.',
    nextStep: 'Ask an operator or an owner to refund it.',
    example: { detail: 'Your role may refund at most 50000 cents of a charge.' },
  },
  not_found: {
    status: 404,
    title: 'Not found',
    meaning: 'There is nothing at this address, or it belongs to another account.',
    nextStep: 'Check the id, and that the key belongs to the same account.',
    example: { detail: 'There is no such charge.' },
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    meaning: 'The address exists but does not take this method; the Allow header names those it takes.',
    nextStep: 'Use a method that the Allow header names.',
    example: { detail: 'This address takes GET, HEAD.' },
  },
  request_timeout: {
    status: 408,
    title: 'The request took too long to arrive',
    meaning: 'Headers or body did not arrive in time.',
    nextStep: 'Send it again.',
    example: { detail: 'The request did not arrive in time.' },
  },
  external_id_conflict: {
    status: 409,
    title: 'The externalId is taken',
    meaning:
      'Another charge, order, plan or subscription of the account has this externalId and other content; chargeId, transactionId, planId or subscriptionId names it.',
    nextStep: 'Read the object that the answer names. Use another externalId for another charge or order.',
    example: { detail: 'Another charge of this account has this externalId.', first: { chargeId: EXAMPLE_CHARGE } },
  },
  wrong_state: {
    status: 409,
    title: 'Not possible in this state',
    meaning: 'The request is not possible in the present state of the object.',
    nextStep: 'Read the object again, and decide by its present state.',
    example: { detail: 'A charge that is PAID cannot be canceled.' },
  },
  reference_conflict: {
    status: 409,
    title: 'The reference is taken',
    meaning:
      'Another payment on the same rail has this reference, or the bank reported it with another amount. Nothing was written.',
    nextStep: "Check the bank's id of the payment. A payment that is already recorded needs nothing more.",
    example: { detail: 'This reference belongs to another payment.' },
  },
  possible_duplicate: {
    status: 409,
    title: 'It may be a duplicate',
    meaning:
      'The charge has a payment of the same amount and day under another reference, named in duplicateOf: one payment often has several references. Nothing was written.',
    nextStep:
      'Compare both at the bank. If it is the same payment, nothing more is needed; if it is another one, send isAnother: true.',
    example: {
      detail:
        'This may be the payment "20261210001 2026-12-10 15990", which the charge has with the same amount. If it is another one, say so: isAnother in a request, --another in the command.',
      first: { duplicateOf: '20261210001 2026-12-10 15990' },
    },
  },
  customer_exists: {
    status: 409,
    title: 'The document has a customer',
    meaning:
      'The account has a customer with this CPF or CNPJ, named in customerId, whose data differs from the request. Nothing was written.',
    nextStep:
      'Use the customer that customerId names, change it with PATCH /customers/{id}, or send "separate": true to create another customer with the same document.',
    example: {
      detail: `The account has a customer of this document with other data: see errors. Change it with PATCH /customers/${EXAMPLE_CUSTOMER}, or send "separate": true to make another customer of the same document.`,
      errors: [{ path: 'name', code: 'differs', message: 'is not what the customer of this document has' }],
      first: { customerId: EXAMPLE_CUSTOMER },
    },
  },
  wallet_exists: {
    status: 409,
    title: 'The address has a wallet',
    meaning: 'The account has a wallet with this address under another name; walletId names it.',
    nextStep: 'Use the wallet that walletId names, or remove it first.',
    example: { detail: 'This address has a wallet of another name.', first: { walletId: EXAMPLE_WALLET } },
  },
  second_key_needed: {
    status: 409,
    title: 'Another key or person must approve',
    meaning:
      'A wallet or a payout must be approved by another key or person than the one that created it, or by an operator. Keys and people that share a maker count as one. Nothing was written.',
    nextStep:
      'Approve it with a key of the command line that has the scope wallets:approve or payouts:approve, as a person who was invited there, or by trilho wallets approve or trilho payouts approve.',
    example: { detail: 'Who made this wallet cannot approve it.' },
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    meaning: 'A body may have 64 kB, the file of a statement 10 MB, a return file of a bank 128 MB.',
    nextStep: 'Send less: long texts belong in your own system, with their id in metadata.',
    example: { detail: 'The body is larger than this address takes.' },
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    meaning: 'Bodies are JSON in UTF-8.',
    nextStep: 'Send Content-Type: application/json.',
    example: { detail: 'Send the body as application/json, in UTF-8 and not compressed.' },
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The Idempotency-Key was used before',
    meaning: 'The same key came with another body.',
    nextStep: 'Use a new key for a new request. The same request again needs the same body.',
    example: { detail: 'This Idempotency-Key was used with another body.' },
  },
  charge_refused: {
    status: 422,
    title: 'No method can carry the charge',
    meaning: 'Every requested method was refused by its rail; errors says why. Nothing was written.',
    nextStep: 'Change what errors names, or ask for another method.',
    example: {
      detail: 'No requested method can carry this charge; see errors.',
      errors: [
        { path: 'amountCents', code: 'above_ceiling', message: 'is more than a boleto can carry (BRL 99,999,999.99)' },
      ],
    },
  },
  order_refused: {
    status: 422,
    title: 'The order is refused',
    meaning:
      'The quote has expired or was used, or the wallet may not receive yet: it has to wait, or lacks a proof of ownership or an approval. errors says which. Nothing was written.',
    nextStep: 'Ask for a new quote, or do what errors says about the wallet.',
    example: {
      detail: 'quoteId has expired: ask for a new quote.',
      errors: [{ path: 'quoteId', code: 'expired', message: 'has expired: ask for a new quote' }],
    },
  },
  wallet_blocked: {
    status: 422,
    title: 'The wallet is blocked',
    meaning: 'This service does not send to this address. Nothing was written.',
    nextStep: 'Use a wallet with another address, or ask the operator of the service.',
    example: { detail: 'This service does not pay to this wallet.' },
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    meaning: 'More requests came in a second than one caller may send. Nothing was done.',
    nextStep: 'Wait as long as Retry-After says, then continue more slowly.',
    example: { detail: 'One caller may send 100 requests a second.' },
  },
  too_many_streams: {
    status: 429,
    retryAfterSeconds: 2,
    title: 'Too many streams are open',
    meaning: 'A node allows up to 100 open event streams of an account.',
    nextStep: 'Close a stream, or come back after the time in Retry-After.',
    example: { detail: 'There are 100 streams open already.' },
  },
  headers_too_large: {
    status: 431,
    title: 'The headers are too large',
    meaning: 'The headers of a request may have 16 kB.',
    nextStep: 'Send fewer or shorter headers.',
    example: { detail: 'The headers are larger than 16 kB.' },
  },
  internal_error: {
    status: 500,
    title: 'Something went wrong here',
    meaning: 'A fault of the service. Its log has more under the requestId.',
    nextStep: 'Tell the operator the requestId. A repeat is safe with an externalId or Idempotency-Key.',
    example: { detail: 'The request could not be completed.' },
  },
  database_unavailable: {
    status: 503,
    retryAfterSeconds: 2,
    title: 'The database cannot be reached',
    meaning: 'The database of the service is down, restarting or not answering.',
    nextStep: 'Try again after the time in Retry-After. A repeat is safe with an externalId or Idempotency-Key.',
    example: { detail: 'The database cannot be reached; try again shortly.' },
  },
  database_timeout: {
    status: 503,
    retryAfterSeconds: 2,
    title: 'The database took too long',
    meaning:
      'The database answers, but a statement took too long, waited too long for a lock, or kept colliding with others.',
    nextStep: 'Try again after the time in Retry-After. A repeat is safe with an externalId or Idempotency-Key.',
    example: { detail: 'The database did not finish in time; try again shortly.' },
  },
  overloaded: {
    status: 503,
    retryAfterSeconds: 2,
    title: 'Too busy now',
    meaning:
      'A limit of the service is reached: requests in flight, charges that wait to be written, or database connections. Nothing was done.',
    nextStep: 'Wait as long as Retry-After says, then send it again.',
    example: { detail: 'Too many requests are being answered; try again.' },
  },
  not_ready: {
    status: 503,
    retryAfterSeconds: 10,
    title: 'This node is not ready',
    meaning:
      'Only /readyz answers this: a background loop of the node has stopped, or its clock is far from that of the database. detail says which.',
    nextStep: 'An operator restarts the node, or sets its clock. Meanwhile, send requests to another node.',
    example: { detail: 'The background loop «delivering to webhooks» has stopped.' },
  },
  stopping: {
    status: 503,
    retryAfterSeconds: 2,
    title: 'The service is stopping',
    meaning: 'This node is shutting down and accepts no more requests. Nothing was done.',
    nextStep: 'Send it again: another node, or this one after its restart, answers.',
    example: { detail: 'The service is stopping; try again shortly.' },
  },
  rail_unavailable: {
    status: 503,
    retryAfterSeconds: 10,
    title: 'The bank does not answer',
    meaning:
      'The bank or PSP behind a method does not answer. Only background jobs call a bank, and they retry by themselves: this code is in the log and in the metrics, and no request is answered with it yet.',
    nextStep: 'Wait: the job is repeated until the bank answers.',
    example: { detail: 'The rail of pix does not answer; try again.' },
  },
  chain_unavailable: {
    status: 503,
    retryAfterSeconds: 10,
    title: 'The chain does not answer',
    meaning: 'No node of this network answers. Nothing was written.',
    nextStep: 'Try again after the time in Retry-After.',
    example: { detail: 'No node of tron answers; try again.' },
  },
  price_unavailable: {
    status: 503,
    retryAfterSeconds: 2,
    title: 'No price available',
    meaning: 'There is no reliable price: sources do not answer, are stale or too far apart. Nothing was written.',
    nextStep: 'Try again after the time in Retry-After.',
    example: { detail: 'There is no reliable price of usdt in BRL now; try again.' },
  },
  not_configured: {
    status: 503,
    retryAfterSeconds: 60,
    title: 'Not configured',
    meaning: 'The request is valid, but the service lacks a setting for it, named in detail.',
    nextStep: 'An operator must set it. Until then a repeat gets the same answer.',
    example: { detail: 'No price source is configured: set TRILHO_PRICE_SOURCES.' },
  },
} as const satisfies Record<ProblemCode, ProblemKind> & Record<Outage, Required<ProblemKind>>;
