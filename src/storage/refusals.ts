// The errors that a caller gets when the database cannot serve.
import { AppError } from '../lib/errors.ts';
import { type DatabaseOutage, isDiskFull, isReadOnly, outageOf } from './faults.ts';

export const DISK_FULL = 'The database cannot be written: its disk is full.';
const READ_ONLY = 'The database is read-only.';
const MESSAGES: Record<DatabaseOutage, string> = {
  database_unavailable: 'The database cannot be reached; try again shortly.',
  database_timeout: 'The database did not finish in time; try again shortly.',
  overloaded: 'No database connection became free in time; try again shortly.',
};

export function unwritableReason(error: unknown): string | undefined {
  if (isDiskFull(error)) return DISK_FULL;
  return isReadOnly(error) ? READ_ONLY : undefined;
}

/** Turns an error about the state of the database into the outage that a caller gets. */
export function asOutage(error: unknown): unknown {
  const reason = unwritableReason(error);
  if (reason !== undefined) return new AppError('database_unavailable', reason, { cause: error });
  const outage = outageOf(error);
  return outage ? new AppError(outage, MESSAGES[outage], { cause: error }) : error;
}
