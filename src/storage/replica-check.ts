// Checks that DATABASE_READ_URL leads to a copy of the database: another database would answer with other charges.
import { isOutage, StartError } from '../lib/errors.ts';
import type { Sql } from './database.ts';
import { requireOwnSession, requireSettings } from './require-session.ts';

export const NEEDS_OWN_SERVER = 'DATABASE_READ_URL needs DATABASE_URL: the embedded database has no replicas.';
const OTHER_DATABASE =
  'DATABASE_READ_URL leads to another database than DATABASE_URL; name a standby of the same server.';

/** Refuses a server of another cluster or database. One that does not answer is not refused, and is used once it does. */
export async function requireCopyOf(primary: Sql, replica: Sql): Promise<void> {
  let place: string;
  try {
    place = await placeOf(replica);
  } catch (error) {
    if (isOutage(error)) return;
    const code = String((error as { code?: unknown }).code ?? 'unknown error');
    throw new StartError(`The database of DATABASE_READ_URL cannot be used (${code}).`);
  }
  if (place !== (await placeOf(primary))) throw new StartError(OTHER_DATABASE);
}

/** Refuses a pooler that breaks sessions. A server that does not answer is not refused, and is used once it does. */
export async function requireReplicaSession(replica: Sql, url: string): Promise<void> {
  try {
    await requireSettings(replica, 'DATABASE_READ_URL');
    await requireOwnSession({ connectionString: url }, 'DATABASE_READ_URL');
  } catch (error) {
    if (error instanceof StartError) throw error;
  }
}

/** The same on every server of a cluster, and of one database in it. */
async function placeOf(db: Sql): Promise<string> {
  const [row] = await db.query<{ place: string }>(
    `select system_identifier || '/' || (select oid from pg_database where datname = current_database()) as place
       from pg_control_system()`,
  );
  return row!.place;
}
