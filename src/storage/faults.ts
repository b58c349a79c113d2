// What a failure of the database means: whether to retry the transaction, what the caller gets, and whether to discard the session.
import type { Outage } from '../lib/errors.ts';

const SQLSTATE = /^[0-9A-Z]{5}$/;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The server asks for another try, or the connection was lost. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  if (['40001', '40P01', '25006', '57P01', '57P03'].includes(code)) return true;
  // Checked first: EPIPE has the form of an SQLSTATE.
  return isConnectionLoss(error) || isForgotten(error) || (SQLSTATE.test(code) && code.startsWith('08'));
}

export type DatabaseOutage = Extract<Outage, 'database_unavailable' | 'database_timeout' | 'overloaded'>;

const TOO_MANY_CONNECTIONS = '53300';
const LOCK_TIMEOUT = '55P03';
const STATEMENT_TIMEOUT = '57014';
/** Also conflicts with other transactions that outlasted every retry. */
const TOO_SLOW = [STATEMENT_TIMEOUT, LOCK_TIMEOUT, '40001', '40P01'];

/** No room on the disk, or a disk that cannot be written. */
export function isDiskFull(error: unknown): boolean {
  return ['53100', '58030'].includes(codeOf(error));
}

/** The session is read-only: the database is a standby or set so. Another session may reach a database that accepts writes. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === '25006';
}

/** The outage that an error means; undefined when it is about the statement itself. */
export function outageOf(error: unknown): DatabaseOutage | undefined {
  const code = codeOf(error);
  if (isPoolExhausted(error) || code === TOO_MANY_CONNECTIONS) return 'overloaded';
  if (TOO_SLOW.includes(code)) return 'database_timeout';
  const isAway =
    isRetryable(error) || isSilence(error) || isDiskFull(error) || (SQLSTATE.test(code) && /^5[37]/.test(code));
  return isAway ? 'database_unavailable' : undefined;
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === LOCK_TIMEOUT;
}

/** A unique index has refused a row, because another transaction committed first. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** The server has ended one of several transactions that waited for each other. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === '40P01';
}

/** Every connection of the pool was in use for as long as a caller waits. The driver has no code for this. */
function isPoolExhausted(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** The statement was refused because an earlier one had failed; the error says nothing itself. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

/**
 * The session lacks a statement that the driver has prepared, or has one that it has not: a pooler in between hands sessions around. The
 * statement was not run, and another session may work.
 */
export function isForgotten(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error));
}

/** The driver gave up waiting; it has no code for this. */
export function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Its name may be unknown for as long as the machine has no network. */
const CONNECTION_LOSSES = [
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ENOTFOUND', 'EAI_AGAIN'],
];

function isConnectionLoss(error: unknown): boolean {
  if (CONNECTION_LOSSES.includes(codeOf(error))) return true;
  // The driver has no code for these.
  return error instanceof Error && /connection terminated|not queryable/i.test(error.message);
}
