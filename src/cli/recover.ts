// Recovers the embedded database from its WAL archive and makes it safe to start: migrated, logins ended, payouts paused, both proofs run.
import type pg from 'pg';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import { asStartFault, connect } from '../storage/connect.ts';
import { recoverFromArchive } from '../storage/embedded/recover.ts';
import { requireInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { makeRestoredSafe } from './make-restored-safe.ts';
import { type Proofs, proveDatabase } from './proofs.ts';
import { withScratch } from './scratch.ts';

type Request = { readonly archive: string; readonly until?: Date | undefined; readonly mode: Mode; readonly log: Log };

/** A trial pauses nothing: a message about pauses would be taken to mean the real database. */
type Into = Request & { readonly isTrial?: boolean };

/** Makes the database of `dataDir`, prints what it has, and returns whether both proofs hold. */
export async function recoverInto(
  dataDir: string,
  { archive, until, isTrial = false, ...rest }: Into,
): Promise<boolean> {
  const { base, skipped, lastCommitAt, finished } = await recoverFromArchive({
    log: rest.log,
    dataDir,
    archiveDir: archive,
    ...(until && { until }),
    finish: (connection, asOf) => makeSafe(connection, { isTrial, asOf, ...rest }),
  });
  for (const folder of skipped) console.log(`Skipped: the base backup ${folder} is damaged.`);
  const end = lastCommitAt ? `up to the commit of ${lastCommitAt.toISOString()}` : 'which has no commit';
  console.log(`Restored: ${base.folder} and the log after it, ${end}.`);
  for (const line of finished.lines) console.log(line);
  return finished.areRight;
}

/** Tries it in a scratch database, which is removed. */
export function verifyArchive(request: Request): Promise<boolean> {
  return withScratch(request.log, (dataDir, log) => recoverInto(dataDir, { ...request, log, isTrial: true }));
}

/** Runs before the database takes its place: a service that starts without the pause would pay again what was paid since. */
async function makeSafe(
  connection: pg.PoolConfig,
  { mode, log, isTrial, asOf }: Pick<Into, 'mode' | 'log' | 'isTrial'> & { readonly asOf: Date },
): Promise<Proofs> {
  const db = await connect({ connection, log });
  try {
    await requireInstallation(db, mode);
    await migrate({ db, log });
    const said = isTrial ? [] : await db.transaction(tx => makeRestoredSafe(tx, { mode, asOf }));
    await sealAudit(db);
    const { areRight, lines } = await proveDatabase(db, undefined);
    return { areRight, lines: [...said, ...lines] };
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await db.close();
  }
}
