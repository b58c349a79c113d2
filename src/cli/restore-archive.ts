// trilho restore --archive: restores the embedded database from its WAL archive, as of a moment, and runs both proofs.
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { quoted, readArguments, refuseFaults } from './arguments.ts';
import { baseBackupCommand } from './base-backup.ts';
import { recoverInto, verifyArchive } from './recover.ts';

const NOT_RIGHT = 1;

export async function restoreArchiveCommand(config: Config, log: Log, args: readonly string[]): Promise<number> {
  const { archive, until, isTried } = readRequest(args);
  const { dataDir, databaseUrl, mode, walArchive } = config;
  if (isTried) return (await verifyArchive({ archive, until, mode, log })) ? 0 : NOT_RIGHT;
  if (databaseUrl !== undefined)
    throw new StartError('trilho restore --archive is for the embedded database; unset DATABASE_URL.');
  console.error(`Database: ${path.join(dataDir, 'postgres')}`);
  const areRight = await recoverInto(dataDir, { archive, until, mode, log });
  // The log forks here: moments after the restore need a base backup made after it.
  if (walArchive === undefined) {
    console.log('With TRILHO_WAL_ARCHIVE, make a base backup once the service runs: the log continues from here.');
  } else if (walArchive === archive) {
    console.log(
      `${archive} still belongs to the database that was saved. If that one is gone: trilho backup --base --take-over.`,
    );
  } else {
    await baseBackupCommand(config, log, ['--base']);
  }
  return areRight ? 0 : NOT_RIGHT;
}

type Request = { readonly archive: string; readonly until: Date | undefined; readonly isTried: boolean };

function readRequest(args: readonly string[]): Request {
  const { options, flags, faults } = readArguments(args, {
    neededOptions: ['archive'],
    options: ['until'],
    flags: ['verify'],
  });
  const { archive = '', until } = options;
  const moment = until === undefined ? undefined : parseRfc3339(until);
  if (until !== undefined && !moment) {
    faults.push(`--until must be a moment such as 2026-11-17T12:00:00-03:00, not ${quoted(until)}`);
  }
  refuseFaults('restore', faults);
  return { archive: path.resolve(archive), until: moment, isTried: flags.includes('verify') };
}
