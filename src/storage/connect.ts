// Opens the database, and checks its version and whether a pooler in front of it works. A failure becomes a StartError of one line; an
// unavailable server, an AwayError.
import type pg from 'pg';
import { AppError, AwayError, isOutage, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { audited } from './audit.ts';
import { type Database, openDatabase } from './database.ts';
import { outageOf } from './faults.ts';
import { REFUSES_SETTINGS, requireOwnSession, requireSettings } from './require-session.ts';

const OLDEST_VERSION = 14;
const INSUFFICIENT_PRIVILEGE = '42501';

export async function connect({ connection, log }: { connection: pg.PoolConfig; log: Log }): Promise<Database> {
  const db = openDatabase({ connection, log });
  try {
    const [row] = await db.query<{ number: string; version: string }>(
      `select current_setting('server_version_num') as number, current_setting('server_version') as version`,
    );
    if (Number(row!.number) < OLDEST_VERSION * 10_000) {
      throw new StartError(`PostgreSQL ${row!.version} is too old: Trilho needs ${OLDEST_VERSION} or later.`);
    }
    await requireSettings(db);
    if (connection.connectionString !== undefined) await requireOwnSession(connection);
    return audited(db);
  } catch (error) {
    await db.close();
    if (error instanceof StartError) throw error;
    const cause = error instanceof AppError ? error.cause : error;
    const message = `The database cannot be used${placeOf(connection)}: ${reasonOf(cause as Fault)}.`;
    throw isOutage(error) || outageOf(error) !== undefined ? new AwayError(message) : new StartError(message);
  }
}

/** Converts a fault during the start into a StartError of one line, when its cause lies outside the service. */
export function asStartFault(error: unknown): unknown {
  if (error instanceof AppError) {
    if (error.code === 'database_unavailable') {
      return new AwayError('The connection to the database was lost during the start; try again.');
    }
    return isPassing(error) ? new AwayError(error.message) : new StartError(error.message);
  }
  if ((error as { code?: unknown } | null)?.code === INSUFFICIENT_PRIVILEGE) {
    return new StartError(
      'The user of DATABASE_URL may not create schemas and tables: give it the database (alter database … owner to …).',
    );
  }
  return error;
}

/** Whether the outage can end without a person; a missing setting cannot. */
function isPassing(error: AppError): boolean {
  return isOutage(error) && error.code !== 'not_configured';
}

/** A URL of a database that may be shown: without the password, and without parameters, which may have one. */
export function shownUrl(url: string): string {
  if (mayCutPassword(url)) return 'the PostgreSQL of DATABASE_URL';
  const { username, password, host, pathname, searchParams } = new URL(url);
  const user = username === '' ? '' : `${username}${password === '' ? '' : ':***'}@`;
  const socket = searchParams.get('host');
  return `postgres://${user}${host}${pathname}${host === '' && socket !== null ? `?host=${socket}` : ''}`;
}

/**
 * An unescaped /, ? or # in a password splits it, so that host or database would show a part of it. An @ after the host reveals that.
 */
function mayCutPassword(url: string): boolean {
  const { username, pathname, search, hash } = new URL(url);
  return (username === '' && url.includes('@')) || `${pathname}${search}${hash}`.includes('@');
}

/** Host and port only: the rest of a URL may be secret. */
function placeOf({ connectionString }: pg.PoolConfig): string {
  if (connectionString === undefined || !URL.canParse(connectionString) || mayCutPassword(connectionString)) return '';
  const { host } = new URL(connectionString);
  return host ? ` at ${host}` : '';
}

type Fault = { readonly code?: string; readonly message?: string };

function reasonOf({ code, message }: Fault): string {
  if (/unsupported startup parameter/.test(message ?? '')) return REFUSES_SETTINGS;
  switch (code) {
    case '28P01':
    case '28000':
      return 'it refuses the user or the password';
    case '3D000':
      return 'it has no database of this name';
    case '53300':
      return 'it accepts no more connections';
    case undefined:
      return 'it cannot be reached';
    default:
      return `it cannot be reached (${code})`;
  }
}
