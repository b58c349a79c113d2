// trilho backup --base: a base backup of the embedded database into its WAL archive, and the removal of old ones.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { requireArchiveInUse } from '../storage/embedded/archive-owner.ts';
import { removeUnfinishedBase, takeBaseBackup } from '../storage/embedded/base-backup.ts';
import { findCluster } from '../storage/embedded/home.ts';
import { pruneArchive } from '../storage/embedded/wal-archive.ts';
import { requireSchema } from '../storage/installation.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { noteBackup } from './note-backup.ts';
import { cleaningUp } from './on-interrupt.ts';
import { openDatabaseOf, withStops } from './open-database.ts';
import { verifyArchive } from './recover.ts';
import { sayDatabase } from './say-database.ts';

const TAKE_OVER = 'take-over';
const NOT_RIGHT = 1;

export async function baseBackupCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { keep, takesOver, isTried } = readChoices(args);
  const { walArchive } = config;
  if (walArchive === undefined)
    throw new StartError('trilho backup --base needs TRILHO_WAL_ARCHIVE, as the service has it.');
  if (config.databaseUrl !== undefined)
    throw new StartError('trilho backup --base is for the embedded database; unset DATABASE_URL.');
  sayDatabase(config);
  await withStops(async stops => {
    const db = await openDatabaseOf({ config: { ...config, takesOver }, log }, stops);
    await requireSchema(db);
    await noteBackup(db);
    const clusterDir = findCluster(config.dataDir);
    if (clusterDir === undefined) throw new StartError('The embedded database cannot be found.');
    await requireArchiveInUse(clusterDir, walArchive);
    const { folder, files, endedAt } = await cleaningUp(
      () => removeUnfinishedBase(walArchive),
      () => takeBaseBackup(db, clusterDir, walArchive),
    );
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    console.log(
      `Saved: ${folder}, ${files.length} files, ${bytes} bytes. Any moment after ${endedAt} can be restored.`,
    );
  });
  // Older ones are removed only once the new one was verified.
  if (isTried && !(await verifyArchive({ archive: walArchive, mode: config.mode, log }))) return NOT_RIGHT;
  if (keep === undefined) return 0;
  const { bases, segments } = await pruneArchive(walArchive, keep);
  console.log(`Removed: ${bases} older base backups, ${segments} segments of the log.`);
  return 0;
}

type Choices = {
  /** How many base backups are kept; undefined: all. */
  readonly keep: number | undefined;
  readonly takesOver: boolean;
  readonly isTried: boolean;
};

function readChoices(args: readonly string[]): Choices {
  const { options, flags, faults } = readArguments(args, { flags: ['base', 'verify', TAKE_OVER], options: ['keep'] });
  const { keep } = options;
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep)) {
    faults.push(`--keep must be a whole number from 1 to 9999, not ${quoted(keep)}`);
  }
  refuseFaults('backup', faults);
  return {
    keep: keep === undefined ? undefined : Number(keep),
    takesOver: flags.includes(TAKE_OVER),
    isTried: flags.includes('verify'),
  };
}
