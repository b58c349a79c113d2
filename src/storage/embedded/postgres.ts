// Runs PostgreSQL as a child process of the service: on a socket in its own folder, without a port, with fsync on.
// Several services on one data directory share it: the first one starts it, the last one stops it, and any of them
// restarts it when it is gone. The lock file of PostgreSQL allows one server among processes that see each other, and `in-use.ts` keeps
// out all others.
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { AwayError, StartError } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import {
  chooseArchive,
  claimArchive,
  keepArchive,
  readOwner,
  refuseOwned,
  requireKeptArchive,
} from './archive-owner.ts';
import { renameInto } from './binaries.ts';
import { giveTo, type Home, settleHome } from './home.ts';
import { type InUse, markInUse } from './in-use.ts';
import {
  connectionIn,
  removeStaleLock,
  runningPid,
  shortSocketDir,
  shutDown,
  spawnPostgres,
  USER,
} from './server-process.ts';
import { refuseUnfinished } from './unfinished.ts';
import { archiveSettings, makeArchive, walFolder } from './wal-archive.ts';

type EmbeddedPostgres = {
  readonly connection: pg.PoolConfig;
  /** The folder that holds the data. */
  readonly clusterDir: string;
  /** Stops the database, unless another service uses it. The caller closes its own connections first. */
  stop(): Promise<void>;
};

const LEAVING = 'trilho, leaving';
const TOO_MANY_CONNECTIONS = '53300';
/** A killed database replays its write-ahead log before it accepts connections. */
const START_LIMIT_MS = 120_000;
const MAX_FAILED_LAUNCHES = 25;
const PROBE_EVERY_MS = 40;
const RELAUNCH_AFTER_MS = 200;
const WATCH_EVERY_MS = 1_000;

type Start = {
  readonly dataDir: string;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
  /** Where the write-ahead log is archived; when absent, where it was before, if anywhere. */
  readonly archiveDir?: string | undefined;
  /** Whether it may be the archive of the database from which this one was restored. */
  readonly takesOver?: boolean;
};

export async function startEmbeddedPostgres(start: Start): Promise<EmbeddedPostgres> {
  const home = await settleHome(start.dataDir);
  const inUse = await markInUse(home.clusterDir, start);
  try {
    return await startIn(home, inUse, start);
  } catch (error) {
    await inUse.end();
    throw error;
  }
}

async function startIn(home: Home, inUse: InUse, start: Start): Promise<EmbeddedPostgres> {
  const { log, heartbeats, takesOver = false } = start;
  if (start.archiveDir !== undefined && !existsSync(home.clusterDir)) await refuseOwned(start.archiveDir);
  await initialise(home);
  const archiveDir = await chooseArchive(home.clusterDir, start.archiveDir);
  const socket = await shortSocketDir(home.clusterDir);
  const connection = connectionIn(socket.dir);
  if (archiveDir !== undefined) {
    // The archive stays untouched for a server that does not write to it, or whose archive disappears while it runs.
    const isUp = (await probe(connection)) === 'up';
    if (isUp) await requireArchiving(connection, archiveDir);
    else await requireKeptArchive(home.clusterDir, archiveDir);
    if (!isUp || (existsSync(walFolder(archiveDir)) && (await readOwner(archiveDir)))) {
      await makeArchive(archiveDir, home);
      await claimArchive(archiveDir, home, takesOver);
    }
  }
  const settings = archiveDir === undefined ? {} : archiveSettings(archiveDir);
  let child: ChildProcess | undefined;
  let failedLaunches = 0;

  function launch(): void {
    removeStaleLock(home.clusterDir);
    child = spawnPostgres(home, settings);
    child.once('exit', status => {
      child = undefined;
      if (status !== 0) failedLaunches++;
    });
    child.once('error', () => {
      child = undefined;
      failedLaunches++;
    });
    // If this process is killed, the database keeps running, and the next start finds it.
    child.unref();
  }

  /** Returns when the database answers; starts it if no other service does. */
  async function ensureRunning(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    failedLaunches = 0;
    while (Date.now() < deadline && failedLaunches < MAX_FAILED_LAUNCHES) {
      if (inUse.isLost()) throw new AwayError('The embedded database is not started: its data was taken.');
      const state = await probe(connection);
      if (state === 'up') return;
      if (state === 'down' && !child) {
        if (failedLaunches > 0) await wait(RELAUNCH_AFTER_MS);
        launch();
      }
      await wait(PROBE_EVERY_MS);
    }
    throw new AwayError(`The embedded database does not start; its log is ${home.logFile}.`);
  }

  await ensureRunning();
  if (archiveDir !== undefined) {
    await requireArchiving(connection, archiveDir);
    await keepArchive(home, archiveDir);
  }

  const watching = startLoop({
    name: 'watching the embedded database',
    task: async () => {
      if (runningPid(home.clusterDir) !== undefined) return;
      log.warn('the embedded database has stopped; restarting it');
      await ensureRunning();
    },
    pauseMs: WATCH_EVERY_MS,
    longestRunMs: START_LIMIT_MS,
    // A restart in progress is waited for: otherwise the database would outlive this service.
    stopLimitMs: START_LIMIT_MS,
    heartbeats,
    log,
  });

  return {
    connection,
    clusterDir: home.clusterDir,
    stop: async () => {
      await watching.stop();
      if (!(await isInUse(connection))) await shutDown(home.clusterDir);
      await inUse.end();
      await socket.dispose();
    },
  };
}

/** Creates the cluster in a temporary folder and renames it: a crash or a second service never leaves an incomplete one. */
async function initialise(home: Home): Promise<void> {
  const { clusterDir, identity, binDir, env } = home;
  if (existsSync(clusterDir)) return checkVersion(clusterDir, binDir);
  refuseUnfinished(clusterDir);
  const draft = await mkdtemp(path.join(path.dirname(clusterDir), '.postgres-'));
  await giveTo(identity, draft);
  const [command, args] = identity.wrap(path.join(binDir, 'initdb'), [
    ...['--pgdata', draft, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8'],
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
  ]);
  try {
    await promisify(execFile)(command, args, { ...identity.user, env, cwd: draft });
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    const { stderr = '', message } = error as Error & { readonly stderr?: string };
    const reason = stderr.split('\n').find(line => line.includes('error:')) ?? message.split('\n')[0];
    throw new StartError(`The embedded database could not be created. ${reason}`.trim());
  }
  await renameInto(draft, clusterDir);
}

async function checkVersion(clusterDir: string, binDir: string): Promise<void> {
  const clusterVersion = (await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const share = path.join(binDir, '..', 'share', 'postgresql', 'postgres.bki');
  const binaryVersion = /PostgreSQL (\d+)/.exec(readFileSync(share, 'utf8').slice(0, 64))?.[1];
  if (binaryVersion !== undefined && clusterVersion !== binaryVersion) {
    throw new StartError(
      `The data in ${clusterDir} is from PostgreSQL ${clusterVersion}, this Trilho has ${binaryVersion}: save it with the version that made it (trilho backup), and restore it into a new data directory (trilho restore).`,
    );
  }
}

/** Another service or command may have started the server with another setting, which a running server cannot change. */
async function requireArchiving(connection: pg.PoolConfig, archiveDir: string): Promise<void> {
  const client = new pg.Client({ ...connection, application_name: LEAVING, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ mode: string; folder: string | null }>(
      `select current_setting('archive_mode') as mode, current_setting('basic_archive.archive_directory', true) as folder`,
    );
    const { mode, folder } = rows[0]!;
    if (mode === 'on' && folder === walFolder(archiveDir)) return;
  } finally {
    await client.end().catch(() => {});
  }
  throw new StartError(
    `The embedded database runs without the archive ${archiveDir}: stop every service on it, then start again.`,
  );
}

type State = 'up' | 'starting' | 'down';

async function probe(connection: pg.PoolConfig): Promise<State> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return 'up';
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (code === 'EACCES') throw new StartError('The embedded database belongs to another user of this machine.');
    return ['ENOENT', 'ECONNREFUSED'].includes(code) ? 'down' : 'starting';
  } finally {
    await client.end().catch(() => {});
  }
}

/** Whether another service uses the database. Services that ask this too do not count: they are also stopping. */
async function isInUse(connection: pg.PoolConfig): Promise<boolean> {
  const client = new pg.Client({ ...connection, application_name: LEAVING, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ others: boolean }>(
      `
      select exists (
        select from pg_stat_activity where backend_type = 'client backend' and application_name <> $1
      ) as others`,
      [LEAVING],
    );
    return rows[0]?.others ?? false;
  } catch (error) {
    // All connections are taken, so others use the database.
    return (error as { code?: string }).code === TOO_MANY_CONNECTIONS;
  } finally {
    await client.end().catch(() => {});
  }
}
