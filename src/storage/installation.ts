// The mode of a database, sandbox or live: written at the first start and never changed.
import { StartError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Sql } from './database.ts';

export async function hasSchema(sql: Sql): Promise<boolean> {
  const [found] = await sql.query<{ name: string | null }>(`select to_regclass('schema_migrations')::text as name`);
  return found?.name != null;
}

/** Refuses a database without our schema: a command must not create it in a database that was named by mistake. */
export async function requireSchema(sql: Sql): Promise<void> {
  if (!(await hasSchema(sql))) throw newDatabase();
}

/** Refuses a new database, and one of the other mode. */
export async function requireInstallation(sql: Sql, mode: Mode): Promise<void> {
  const [found] = await sql.query<{ mode: string }>('select mode from installation');
  if (!found) throw newDatabase();
  if (found.mode !== mode) throw belongsToOther(found.mode, mode);
}

/**
 * Returns true for the first start only, which also decides whether secrets are sealed from the beginning. Refuses to open a sandbox
 * database in live mode, and a live one in a sandbox.
 */
export async function claimInstallation(
  tx: Sql,
  { mode, at, sealsSecrets = false }: { readonly mode: Mode; readonly at: Date; readonly sealsSecrets?: boolean },
): Promise<boolean> {
  const claimed = await tx.query(
    `insert into installation (mode, created_at, seals_secrets) values ($1, $2, $3)
     on conflict (only_one) do nothing returning mode`,
    [mode, at, sealsSecrets],
  );
  if (claimed.length > 0) return true;
  const [found] = await tx.query<{ mode: string }>('select mode from installation');
  if (found?.mode !== mode) throw belongsToOther(found?.mode, mode);
  return false;
}

function newDatabase(): StartError {
  return new StartError('This database is new: start the service once first.');
}

function belongsToOther(found: string | undefined, mode: Mode): StartError {
  return new StartError(`This database belongs to a ${found} service and cannot be used in ${mode}.`);
}
