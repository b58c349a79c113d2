// trilho backup: saves a snapshot of the database into a folder or a stream, while the service runs.
import { once } from 'node:events';
import type { Config } from '../config/config.ts';
import { jobsToSave } from '../jobs/backup.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { version } from '../lib/version.ts';
import { type Dumped, dumpDatabase } from '../storage/backup/dump.ts';
import { readFolder, removeUnfinishedFolder, writeFolder } from '../storage/backup/folder.ts';
import type { Entry } from '../storage/backup/format.ts';
import { TAR_END, tarBlocks } from '../storage/backup/tar.ts';
import type { Database } from '../storage/database.ts';
import { requireSchema } from '../storage/installation.ts';
import { readArguments, refuseFaults } from './arguments.ts';
import { baseBackupCommand } from './base-backup.ts';
import { noteBackup } from './note-backup.ts';
import { cleaningUp } from './on-interrupt.ts';
import { openDatabaseOf, withStops } from './open-database.ts';
import { STREAM, verifyBackup } from './restore.ts';
import { sayDatabase } from './say-database.ts';

export async function backupCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  if (args.includes('--base')) return baseBackupCommand(config, log, args);
  const { positionals, flags, faults } = readArguments(args, { positionals: ['folder'], flags: ['verify'] });
  const [place = ''] = positionals;
  const isVerified = flags.includes('verify');
  if (isVerified && place === STREAM) {
    faults.push('a stream cannot be read again: pipe it into trilho restore - --verify where it is kept');
  }
  refuseFaults('backup', faults);
  sayDatabase(config);
  await withStops(async stops => {
    const db = await openDatabaseOf({ config, log }, stops);
    await requireSchema(db);
    if (place === STREAM) return report(await toStream(db), console.error);
    const write = () => writeFolder(place, entry => dump(db, entry));
    report(await cleaningUp(() => removeUnfinishedFolder(place), write), console.log);
  });
  return isVerified ? verifyBackup(log, readFolder(place)) : 0;
}

async function dump(db: Database, write: (entry: Entry) => Promise<void>): Promise<Dumped> {
  await noteBackup(db);
  return dumpDatabase(db, { version, extras: await jobsToSave(db) }, write);
}

async function toStream(db: Database): Promise<Dumped> {
  const { stdout } = process;
  if (stdout.isTTY) throw new StartError('trilho backup -: standard output is a terminal; redirect it to a file.');
  const failure = new Promise<never>((_resolve, reject) => {
    stdout.once('error', () => reject(new StartError('The stream was closed before the backup was complete.')));
  });
  // The failure reaches the reader of the stream; before there is a reader it would be an unhandled rejection.
  failure.catch(() => {});
  const send = async (bytes: Buffer) => {
    if (!stdout.write(bytes)) await Promise.race([once(stdout, 'drain'), failure]);
  };
  const dumped = await dump(db, async entry => {
    for (const block of tarBlocks(entry, new Date())) await send(block);
  });
  await Promise.race([new Promise<void>(resolve => stdout.write(TAR_END, () => resolve())), failure]);
  return dumped;
}

function report({ header, manifest }: Dumped, say: (line: string) => void): void {
  const rows = manifest.parts.reduce((sum, part) => sum + part.rows, 0);
  const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0);
  say(`Saved: ${rows} rows in ${manifest.parts.length} parts, ${bytes} bytes, as of ${header.takenAt}.`);
  if (header.auditHead) say(`The audit log ends with ${header.auditHead.position} ${header.auditHead.hash}`);
}
