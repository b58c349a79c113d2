// Brings a database back from a WAL archive: the files of a base backup, then the log up to a moment, or all of it.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/sync-folder.ts';
import { giveTo, type Home, settleHome } from './home.ts';
import { connectionIn, shortSocketDir, shutDown, spawnPostgres } from './server-process.ts';
import { makeUnfinished, removeUnfinished } from './unfinished.ts';
import { type KeptBase, readBases, walFolder } from './wal-archive.ts';

/** Recovery reads as much log as there is: a day of it within minutes. */
const RECOVERY_LIMIT_MS = 86_400_000;
const LOOK_EVERY_MS = 200;
const CHUNK_BYTES = 1024 * 1024;

type Recovery<T> = {
  readonly dataDir: string;
  readonly archiveDir: string;
  readonly until?: Date;
  /** What the recovered database needs before a start may open it. */
  finish(connection: pg.PoolConfig): Promise<T>;
};

/**
 * Makes the embedded database of `dataDir`, which must have none, and leaves it stopped. It is made in a folder beside its place and
 * moved there when `finish` is over, so that no crash leaves one that a start would open too early. Refuses a damaged base, and a
 * moment that the archive does not have.
 */
export async function recoverFromArchive<T>(recovery: Recovery<T>): Promise<{ base: KeptBase; finished: T }> {
  const { dataDir, archiveDir, until, finish } = recovery;
  const home = await settleHome(dataDir);
  const { clusterDir } = home;
  if (existsSync(clusterDir)) throw occupied(clusterDir);
  const base = chooseBase(await readBases(archiveDir), until);
  await checkFiles(base);
  await removeUnfinished(clusterDir);
  const draft = { ...home, clusterDir: await makeUnfinished(clusterDir) };
  try {
    await layOut(base, draft);
    const finished = await replay(draft, archiveDir, until, finish);
    await rename(draft.clusterDir, clusterDir).catch(error => {
      throw existsSync(clusterDir) ? occupied(clusterDir) : error;
    });
    await syncFolder(path.dirname(clusterDir));
    return { base, finished };
  } catch (error) {
    await rm(draft.clusterDir, { recursive: true, force: true });
    throw error;
  }
}

function occupied(clusterDir: string): StartError {
  return new StartError(`There is a database in ${clusterDir}: an archive is restored into a new one only.`);
}

/** The newest base that was complete at that moment. */
function chooseBase(bases: readonly KeptBase[], until: Date | undefined): KeptBase {
  const possible = bases.filter(({ endedAt }) => until === undefined || new Date(endedAt) <= until);
  const base = possible.at(-1);
  if (base) return base;
  const [first] = bases;
  if (!first) throw new StartError('The archive has no base backup: make one with trilho backup --base.');
  throw new StartError(`The archive begins with ${first.endedAt}; --until must be later.`);
}

async function checkFiles({ folder, files }: KeptBase): Promise<void> {
  for (const { path: place, sha256 } of files) {
    const found = await digestOf(path.join(folder, place)).catch(() => undefined);
    if (found !== sha256) throw new StartError(`The base backup ${folder} is damaged: ${place}.`);
  }
}

async function digestOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const digest = createHash('sha256');
    for await (const chunk of handle.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })) {
      digest.update(chunk);
    }
    return digest.digest('hex');
  } finally {
    await handle.close();
  }
}

async function layOut({ folder, files, folders, label }: KeptBase, { clusterDir, identity }: Home): Promise<void> {
  await giveTo(identity, clusterDir);
  const put = async (place: string, write: (target: string) => Promise<unknown>) => {
    const target = path.join(clusterDir, place);
    await write(target);
    await giveTo(identity, target);
  };
  for (const place of folders) await put(place, target => mkdir(target, { mode: 0o700 }));
  for (const { path: place } of files) await put(place, target => cp(path.join(folder, place), target));
  await put('backup_label', target => writeFile(target, label, { mode: 0o600 }));
  await put('recovery.signal', target => writeFile(target, '', { mode: 0o600 }));
}

/** Runs a server that reads the log from the archive; calls `finish` once it has left recovery, and stops it. */
async function replay<T>(
  home: Home,
  archiveDir: string,
  until: Date | undefined,
  finish: (connection: pg.PoolConfig) => Promise<T>,
): Promise<T> {
  const socket = await shortSocketDir(home.clusterDir);
  const logStart = existsSync(home.logFile) ? (await readFile(home.logFile)).length : 0;
  const server = spawnPostgres(home, {
    restore_command: `cp ${shellWord(walFolder(archiveDir))}/%f "%p"`,
    // A moment is one of the log that the base belongs to. All of the log is that which goes on past an earlier restore.
    recovery_target_timeline: until ? 'current' : 'latest',
    // Settings are read before the names of zones are known, so the zone is a number.
    ...(until && { recovery_target_time: until.toISOString().replace('Z', '+00') }),
    recovery_target_action: 'promote',
  });
  const deadline = Date.now() + RECOVERY_LIMIT_MS;
  const connection = connectionIn(socket.dir);
  try {
    while (!(await isPromoted(connection))) {
      if (server.exitCode !== null || server.signalCode !== null) throw notRecovered(home, logStart, until);
      if (Date.now() > deadline) throw new StartError('Recovery took longer than a day and was ended.');
      await wait(LOOK_EVERY_MS);
    }
    return await finish(connection);
  } finally {
    await shutDown(home.clusterDir);
    await socket.dispose();
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

/** The server says why in its log, which quotes no values. */
function notRecovered({ logFile }: Home, logStart: number, until: Date | undefined): StartError {
  const said = readFileSync(logFile).subarray(logStart).toString('utf8');
  if (until && said.includes('recovery ended before configured recovery target was reached')) {
    return new StartError(
      `The archive ends before ${until.toISOString()}; choose an earlier moment, or none for all of it.`,
    );
  }
  const reason = /FATAL: {2}(.+)/.exec(said)?.[1] ?? `see ${logFile}`;
  return new StartError(`The archive could not be restored: ${reason}.`);
}

/** A percent sign would begin a placeholder of the server. */
function shellWord(text: string): string {
  return `'${text.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}
