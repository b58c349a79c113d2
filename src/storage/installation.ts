// What a database is used for, written at its first start and never changed.
import { StartError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Sql } from './database.ts';

/** Returns true for the one start that is the first. Refuses to open a sandbox's database in live, and the other way. */
export async function claimInstallation(tx: Sql, mode: Mode, at: Date): Promise<boolean> {
  const claimed = await tx.query(
    'insert into installation (mode, created_at) values ($1, $2) on conflict (only_one) do nothing returning mode',
    [mode, at],
  );
  if (claimed.length > 0) return true;
  const [found] = await tx.query<{ mode: string }>('select mode from installation');
  if (found?.mode !== mode) {
    throw new StartError(`This database belongs to a ${found?.mode} service and cannot be used in ${mode}.`);
  }
  return false;
}
