// trilho restore --archive: brings the embedded database back from its WAL archive, as it was at a moment, and runs both proofs.
import path from 'node:path';
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import { asStartFault, connect } from '../storage/connect.ts';
import { recoverFromArchive } from '../storage/embedded/recover.ts';
import { requireInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { baseBackupCommand } from './base-backup.ts';
import { pauseRestoredPayouts } from './pause-restored.ts';
import { type Proofs, proveDatabase } from './proofs.ts';

const NOT_RIGHT = 1;

export async function restoreArchiveCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { archive, until } = readRequest(args);
  const { dataDir, databaseUrl, mode, walArchive } = config;
  if (databaseUrl !== undefined)
    throw new StartError('trilho restore --archive is for the embedded database; unset DATABASE_URL.');
  console.error(`Database: ${path.join(dataDir, 'postgres')}`);
  const { base, lastCommitAt, finished } = await recoverFromArchive({
    dataDir,
    archiveDir: archive,
    ...(until && { until }),
    finish: connection => makeSafe(connection, mode, log),
  });
  const end = lastCommitAt ? `up to the commit of ${lastCommitAt.toISOString()}` : 'which has no commit';
  console.log(`Restored: ${base.folder} and the log after it, ${end}.`);
  for (const line of finished.lines) console.log(line);
  // The log goes on from here, and moments after the restore need a base that is after it.
  if (walArchive === undefined) {
    console.log('With TRILHO_WAL_ARCHIVE, make a base backup once the service runs: the log goes on from here.');
  } else if (walArchive === archive) {
    console.log(
      `${archive} stays with the database that was saved. When that one is gone: trilho backup --base --take-over.`,
    );
  } else {
    await baseBackupCommand(config, log, ['--base']);
  }
  return finished.areRight ? 0 : NOT_RIGHT;
}

/** Before the database takes its place: a service that is started without the pause would pay again what was paid since. */
async function makeSafe(connection: pg.PoolConfig, mode: Mode, log: Log): Promise<Proofs> {
  const db = await connect({ connection, log });
  try {
    await requireInstallation(db, mode);
    await migrate({ db, log });
    const paused = await db.transaction(tx => pauseRestoredPayouts(tx, mode));
    await sealAudit(db);
    const { areRight, lines } = await proveDatabase(db, undefined);
    return { areRight, lines: [...paused, ...lines] };
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await db.close();
  }
}

function readRequest(args: readonly string[]): { readonly archive: string; readonly until: Date | undefined } {
  const { options, faults } = readArguments(args, { neededOptions: ['archive'], options: ['until'] });
  const { archive = '', until } = options;
  const moment = until === undefined ? undefined : parseRfc3339(until);
  if (until !== undefined && !moment) {
    faults.push(`--until must be a moment such as 2026-11-17T12:00:00-03:00, not ${quoted(until)}`);
  }
  refuseFaults('restore', faults);
  return { archive: path.resolve(archive), until: moment };
}
