// trilho restore --archive: brings the embedded database back from its WAL archive, as it was at a moment, and runs both proofs.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { asStartFault } from '../storage/connect.ts';
import { findCluster } from '../storage/embedded/home.ts';
import { recoverFromArchive } from '../storage/embedded/recover.ts';
import { requireInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { openDatabaseOf, type Stops, stopAll } from './open-database.ts';
import { pauseRestoredPayouts } from './pause-restored.ts';
import { proveDatabase } from './proofs.ts';

const NOT_RIGHT = 1;

export async function restoreArchiveCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { archive, until } = readRequest(args);
  const { dataDir, databaseUrl, mode } = config;
  if (databaseUrl !== undefined)
    throw new StartError('trilho restore --archive is for the embedded database; unset DATABASE_URL.');
  console.error(`Database: ${path.join(dataDir, 'postgres')}`);
  const base = await recoverFromArchive({ dataDir, archiveDir: archive, ...(until && { until }) });
  console.log(`Restored: ${base.folder} and the log after it${until ? ` until ${until.toISOString()}` : ''}.`);
  const stops: Stops = [];
  let isSafe = false;
  try {
    const db = await openDatabaseOf({ config, log }, stops);
    await requireInstallation(db, mode);
    await migrate({ db, log });
    await pauseRestoredPayouts(db, mode);
    isSafe = true;
    const { areRight, lines } = await proveDatabase(db, undefined);
    for (const line of lines) console.log(line);
    console.log('Make a new base backup once the service runs: the log goes on from here.');
    return areRight ? 0 : NOT_RIGHT;
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await stopAll(stops);
    // A service that is started on a database without the pause would pay again what was paid since that moment.
    const clusterDir = isSafe ? undefined : findCluster(dataDir);
    if (clusterDir !== undefined) await rm(clusterDir, { recursive: true, force: true });
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
