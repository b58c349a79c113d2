// trilho restore: puts a backup into a new database, or tries it in a scratch database with --verify, and runs both proofs there.

import path from 'node:path';
import type { Config } from '../config/config.ts';
import { jobsToRestore } from '../jobs/backup.ts';
import { startQueue } from '../jobs/queue.ts';
import type { Log } from '../lib/log.ts';
import type { Mode } from '../lib/mode.ts';
import { ALL_JOBS } from '../nouns.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import { checkFolder, readFolder } from '../storage/backup/folder.ts';
import type { Entry } from '../storage/backup/format.ts';
import { loadBackup, type OpenBackup, openBackup, requireEmpty } from '../storage/backup/load.ts';
import { readTar } from '../storage/backup/tar.ts';
import { connect, shownUrl } from '../storage/connect.ts';
import type { Database, Sql } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { makeRestoredSafe } from './make-restored-safe.ts';
import { openDatabaseOf, withStops } from './open-database.ts';
import { proveDatabase } from './proofs.ts';
import { restoreArchiveCommand } from './restore-archive.ts';
import { withScratch } from './scratch.ts';

/** Stands for standard input or output. */
export const STREAM = '-';
const NOT_RIGHT = 1;

export async function restoreCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  if (args.some(argument => /^--(archive|until)(=|$)/.test(argument))) return restoreArchiveCommand(config, log, args);
  const { positionals, flags, faults } = readArguments(args, { positionals: ['folder'], flags: ['verify'] });
  refuseFaults('restore', faults);
  const [place = ''] = positionals;
  const entries = place === STREAM ? readTar(process.stdin) : readFolder(place);
  if (flags.includes('verify')) return verifyBackup(log, entries);

  const { databaseUrl, dataDir, mode } = config;
  // Before a database is created or opened: a refusal here leaves nothing behind. A stream can be read only once.
  const backup = await openBackup(entries, mode);
  if (place !== STREAM) await checkFolder(place);
  console.error(`Database: ${databaseUrl === undefined ? path.join(dataDir, 'postgres') : shownUrl(databaseUrl)}`);
  return withStops(async stops => restoreInto(await openDatabaseOf({ config, log }, stops), log, backup, mode));
}

/** Restores into an embedded database in a folder of its own, runs both proofs, and removes it. */
export async function verifyBackup(commandLog: Log, entries: AsyncIterable<Entry>): Promise<number> {
  const backup = await openBackup(entries);
  return withScratch(commandLog, (dataDir, log) =>
    withStops(async stops => {
      const embedded = await startEmbeddedPostgres({ dataDir, log });
      stops.push(() => embedded.stop());
      const db = await connect({ connection: embedded.connection, log });
      stops.push(() => db.close());
      return restoreInto(db, log, backup);
    }),
  );
}

/** Exit code 1 when the data is restored and a proof fails. */
async function restoreInto(db: Database, log: Log, backup: OpenBackup, mode?: Mode): Promise<number> {
  await requireEmpty(db);
  const queue = await startQueue({ db, log, kinds: ALL_JOBS });
  try {
    let said: readonly string[] = [];
    const finish = async (tx: Sql) => {
      if (mode !== undefined) said = await makeRestoredSafe(tx, { mode, asOf: new Date(backup.header.takenAt) });
    };
    const options = { extras: [jobsToRestore(queue)], finish };
    const { header, rows, skipped } = await loadBackup({ db, log }, backup, options);
    console.log(`Restored: ${rows} rows, as of ${header.takenAt}, written by Trilho ${header.version}.`);
    for (const table of skipped) console.log(`The table ${table} does not belong to Trilho and was not restored.`);
    for (const line of said) console.log(line);
    if (mode === 'live') await sealAudit(db);
    await db.transaction(tx => tx.query('set local statement_timeout = 0; analyze'), { isLong: true });
    const { areRight, lines } = await proveDatabase(db, header.auditHead ?? undefined);
    for (const line of lines) console.log(line);
    return areRight ? 0 : NOT_RIGHT;
  } finally {
    await queue.stop();
  }
}
