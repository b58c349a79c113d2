// Restores a database from a WAL archive: the files of a base backup, then the log up to a moment, or all of it.
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import type { Log } from '../../lib/log.ts';
import { giveTo, type Home, settleHome } from './home.ts';
import { markInUse } from './in-use.ts';
import { type Course, lacksSegment, planRecovery, requireWholeLog } from './plan-recovery.ts';
import { connectionIn, shortSocketDir, shutDown, spawnPostgres } from './server-process.ts';
import { parseHistory } from './timelines.ts';
import { makeUnfinished, removeUnfinished } from './unfinished.ts';
import { checkFiles, type KeptBase, walFolder } from './wal-archive.ts';

/** The limit of a recovery: a day of log is read within minutes. */
const RECOVERY_LIMIT_MS = 86_400_000;
const LOOK_EVERY_MS = 200;

type Recovery<T> = {
  readonly log: Log;
  readonly dataDir: string;
  readonly archiveDir: string;
  readonly until?: Date;
  /** Prepares the recovered database before a start may open it. It has nothing that was committed after `asOf`. */
  finish(connection: pg.PoolConfig, asOf: Date): Promise<T>;
};

type Recovered<T> = {
  readonly base: KeptBase;
  /** Base backups that are damaged. */
  readonly skipped: readonly string[];
  /** The last commit of the restored log; undefined when it had no commit. */
  readonly lastCommitAt: Date | undefined;
  readonly finished: T;
};

/**
 * Creates the embedded database of `dataDir`, which must not have one, and leaves it stopped. It is made in a folder beside its place and
 * moved there after `finish`, so that a crash never leaves one that a start would open too early. Refuses a damaged base, a log with a gap,
 * and a moment that the archive does not cover. It writes nothing into the archive.
 */
export async function recoverFromArchive<T>(recovery: Recovery<T>): Promise<Recovered<T>> {
  const home = await settleHome(recovery.dataDir);
  const inUse = await markInUse(home.clusterDir, recovery);
  try {
    return await recoverInto(home, recovery);
  } finally {
    await inUse.end();
  }
}

async function recoverInto<T>(home: Home, recovery: Recovery<T>): Promise<Recovered<T>> {
  const { archiveDir, until } = recovery;
  const { clusterDir } = home;
  if (existsSync(clusterDir)) throw occupied(clusterDir);
  const course = await planRecovery(archiveDir, until);
  await checkFiles(course.base);
  await removeUnfinished(clusterDir);
  const draft = { ...home, clusterDir: await makeUnfinished(clusterDir) };
  try {
    await layOut(course.base, draft);
    const { lastCommitAt, finished } = await replay(draft, recovery, course);
    await rename(draft.clusterDir, clusterDir).catch(error => {
      throw existsSync(clusterDir) ? occupied(clusterDir) : error;
    });
    await syncFolder(path.dirname(clusterDir));
    return { base: course.base, skipped: course.skipped, lastCommitAt, finished };
  } catch (error) {
    await rm(draft.clusterDir, { recursive: true, force: true });
    throw error;
  }
}

function occupied(clusterDir: string): StartError {
  return new StartError(`There is a database in ${clusterDir}: an archive is restored into a new one only.`);
}

async function layOut({ folder, files, folders, label }: KeptBase, { clusterDir, identity }: Home): Promise<void> {
  await giveTo(identity, clusterDir);
  const put = async (place: string, write: (target: string) => Promise<unknown>) => {
    const target = path.join(clusterDir, place);
    await write(target);
    await giveTo(identity, target);
  };
  for (const place of folders) await put(place, target => mkdir(target, { mode: 0o700 }));
  for (const { path: place } of files) await put(place, target => copyFile(path.join(folder, place), target));
  await put('backup_label', target => writeFile(target, label, { mode: 0o600 }));
  await put('recovery.signal', target => writeFile(target, '', { mode: 0o600 }));
}

/** Runs a server that reads the log from the archive; calls `finish` once it has left recovery, and stops it. */
async function replay<T>(
  home: Home,
  { archiveDir, until, finish }: Recovery<T>,
  course: Course,
): Promise<Pick<Recovered<T>, 'lastCommitAt' | 'finished'>> {
  const socket = await shortSocketDir(home.clusterDir);
  const logStart = existsSync(home.logFile) ? (await readFile(home.logFile)).length : 0;
  const server = spawnPostgres(home, {
    restore_command: `cp ${shellWord(walFolder(archiveDir))}/%f "%p"`,
    recovery_target_timeline: String(course.timeline),
    // Settings are read before zone names are known, so the zone is a number.
    ...(until && { recovery_target_time: until.toISOString().replace('Z', '+00') }),
    recovery_target_action: 'promote',
  });
  const deadline = Date.now() + RECOVERY_LIMIT_MS;
  const connection = connectionIn(socket.dir);
  try {
    while (!(await isPromoted(connection))) {
      if (server.exitCode !== null || server.signalCode !== null) throw notRecovered(home, logStart, until, course);
      if (Date.now() > deadline) throw new StartError('Recovery took longer than a day and was ended.');
      await wait(LOOK_EVERY_MS);
    }
    const { endLsn, lastCommitAt } = await readEnd(connection);
    if (until === undefined) requireWholeLog(course, endLsn);
    return { lastCommitAt, finished: await finish(connection, lastCommitAt ?? new Date(course.base.startedAt)) };
  } finally {
    await shutDown(home.clusterDir);
    await socket.dispose();
  }
}

/** Where recovery ended, from the history of the timeline that it began. */
async function readEnd(connection: pg.PoolConfig): Promise<{ endLsn: bigint; lastCommitAt: Date | undefined }> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ at: Date | null; history: string }>(
      `select pg_last_xact_replay_timestamp() as at,
              pg_read_file('pg_wal/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '.history') as history`,
    );
    return { endLsn: parseHistory(rows[0]!.history).at(-1)!.lsn, lastCommitAt: rows[0]!.at ?? undefined };
  } finally {
    await client.end().catch(() => {});
  }
}

async function isPromoted(connection: pg.PoolConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ recovers: boolean }>('select pg_is_in_recovery() as recovers');
    return rows[0]?.recovers === false;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** The reason is in the log of the server, which quotes no values. */
function notRecovered({ logFile }: Home, logStart: number, until: Date | undefined, course: Course): StartError {
  const said = readFileSync(logFile).subarray(logStart).toString('utf8');
  if (until && said.includes('recovery ended before configured recovery target was reached')) {
    if (course.missing !== undefined) return lacksSegment(course.missing);
    return new StartError(
      `The archive ends before ${until.toISOString()}; choose an earlier moment, or restore all of it without --until.`,
    );
  }
  const reason = /FATAL: {2}(.+)/.exec(said)?.[1] ?? `see ${logFile}`;
  return new StartError(`The archive could not be restored: ${reason}.`);
}

/** A percent sign would begin a placeholder of the server. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}
