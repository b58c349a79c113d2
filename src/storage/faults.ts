// What a failure of the database says: whether to try again, to tell the caller to, or to throw the session away.
import pg from 'pg';
import { NotAllWritten } from './together.ts';

const SQLSTATE = /^[0-9A-Z]{5}$/;

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** The server asks for another try, or the connection was lost. https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  if (['40001', '40P01', '25006', '57P01', '57P03'].includes(code)) return true;
  // Asked first: EPIPE has the form of an SQLSTATE.
  return isConnectionLoss(error) || isForgotten(error) || (SQLSTATE.test(code) && code.startsWith('08'));
}

/** The database is not there, not ready, or has no room: the caller may try again later. */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (isRetryable(error) || isSilence(error)) return true;
  return SQLSTATE.test(code) && (code.startsWith('53') || code.startsWith('57'));
}

/** The statement was refused because one before it had failed, and says nothing of its own. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

/**
 * The session does not know a statement that the driver has prepared in it, or knows one that it has not: between the two
 * stands a pooler that hands sessions around. The statement was not run, and another session may do better.
 */
export function isForgotten(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error));
}

/** The session has not just refused a statement: it is gone, silent or has forgotten what it should know. */
export function isUnusable(error: unknown): boolean {
  const isRefusal = error instanceof pg.DatabaseError || error instanceof NotAllWritten;
  return !isRefusal || isForgotten(error) || /^(57P|08)/.test(codeOf(error));
}

/** The driver gave up waiting; it gives this no code. */
export function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

function isConnectionLoss(error: unknown): boolean {
  if (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOENT', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND'].includes(codeOf(error))
  )
    return true;
  // The driver gives these no code.
  return (
    error instanceof Error &&
    /connection terminated|timeout exceeded when trying to connect|not queryable/i.test(error.message)
  );
}
