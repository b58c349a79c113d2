// A real PostgreSQL as a child of the service: on a socket inside its own folder, no port, everything synced to disk.
// Several services on one data directory share it: the first starts it, the last one out stops it, and whoever finds it
// gone starts it again. PostgreSQL's own lock file decides who is first, so none of this can harm the data.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { StartError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { renameInto } from './binaries.ts';
import { giveTo, type Home, settleHome } from './home.ts';

export type EmbeddedPostgres = {
  readonly connection: pg.PoolConfig;
  /** The folder that holds the data. */
  readonly clusterDir: string;
  /** Leaves the database; stops it when nobody else uses it. Close every connection of one's own before. */
  stop(): Promise<void>;
};

const USER = 'trilho';
const DATABASE = 'postgres';
const LEAVING = 'trilho, leaving';
const TOO_MANY_CONNECTIONS = '53300';
const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;
/** The kernel's limit less the closing zero: 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;
/** A database that was killed replays its log before it answers. */
const START_LIMIT_MS = 120_000;
const MAX_FAILED_LAUNCHES = 25;
const LOOK_AGAIN_MS = 40;
const LAUNCH_AGAIN_MS = 200;
const STOP_LIMIT_MS = 30_000;
const KEEPER_INTERVAL_MS = 1_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

const SETTINGS = {
  listen_addresses: '',
  // The folder it runs in, which is the cluster's own: short whatever the data directory is called.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(PORT),
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Its log never quotes a statement or a value: they hold documents and names.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export async function startEmbeddedPostgres({
  dataDir,
  log,
}: {
  dataDir: string;
  log: Log;
}): Promise<EmbeddedPostgres> {
  const home = await settleHome(dataDir);
  await initialise(home);
  const socket = await shortSocketDir(home.clusterDir);
  const connection = { host: socket.dir, port: PORT, user: USER, database: DATABASE };
  let child: ChildProcess | undefined;
  let failedLaunches = 0;

  function launch(): void {
    removeStaleLock(home.clusterDir);
    child = spawnPostgres(home);
    child.once('exit', status => {
      child = undefined;
      if (status !== 0) failedLaunches++;
    });
    child.once('error', () => {
      child = undefined;
      failedLaunches++;
    });
    // It outlives us if we are killed, and the next start finds it running.
    child.unref();
  }

  /** Returns when the database answers; starts it when nobody else does. */
  async function ensureRunning(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    failedLaunches = 0;
    while (Date.now() < deadline && failedLaunches < MAX_FAILED_LAUNCHES) {
      const state = await probe(connection);
      if (state === 'up') return;
      if (state === 'down' && !child) {
        if (failedLaunches > 0) await wait(LAUNCH_AGAIN_MS);
        launch();
      }
      await wait(LOOK_AGAIN_MS);
    }
    throw new StartError(`The embedded database does not start; its log is ${home.logFile}.`);
  }

  await ensureRunning();

  let mending: Promise<void> | undefined;
  const keeper = setInterval(() => {
    if (mending || runningPid(home.clusterDir) !== undefined) return;
    log.warn('the embedded database is gone; starting it again');
    mending = ensureRunning()
      .catch(error => log.error('the embedded database did not start again', { error }))
      .finally(() => {
        mending = undefined;
      });
  }, KEEPER_INTERVAL_MS);
  keeper.unref();

  return {
    connection,
    clusterDir: home.clusterDir,
    stop: async () => {
      clearInterval(keeper);
      // One that is on its way up would outlive us.
      await mending;
      if (!(await isInUse(connection))) await shutDown(home.clusterDir);
      await socket.dispose();
    },
  };
}

/** Makes the cluster beside its place and moves it there whole: a crash or a second service never leaves half of one. */
async function initialise(home: Home): Promise<void> {
  const { clusterDir, identity, binDir, env } = home;
  if (existsSync(clusterDir)) return checkVersion(clusterDir, binDir);
  const draft = await mkdtemp(path.join(path.dirname(clusterDir), '.postgres-'));
  await giveTo(identity, draft);
  const [command, args] = identity.wrap(path.join(binDir, 'initdb'), [
    ...['--pgdata', draft, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8'],
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
  ]);
  const made = spawnSync(command, args, { ...identity.user, env, cwd: draft, encoding: 'utf8' });
  if (made.status !== 0) {
    await rm(draft, { recursive: true, force: true });
    const said = (made.stderr ?? '').split('\n').find(line => line.includes('error:')) ?? made.error?.message ?? '';
    throw new StartError(`The embedded database could not be made. ${said}`.trim());
  }
  await renameInto(draft, clusterDir);
}

async function checkVersion(clusterDir: string, binDir: string): Promise<void> {
  const made = (await readFile(path.join(clusterDir, 'PG_VERSION'), 'utf8')).trim();
  const share = path.join(binDir, '..', 'share', 'postgresql', 'postgres.bki');
  const brought = /PostgreSQL (\d+)/.exec(readFileSync(share, 'utf8').slice(0, 64))?.[1];
  if (brought !== undefined && made !== brought) {
    throw new StartError(
      `The data in ${clusterDir} is of PostgreSQL ${made}, this Trilho brings ${brought}: dump and restore it first.`,
    );
  }
}

function spawnPostgres({ clusterDir, identity, binDir, env, logFile }: Home): ChildProcess {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = identity.wrap(path.join(binDir, 'postgres'), ['-D', clusterDir, ...settings]);
  const isLogFull = existsSync(logFile) && statSync(logFile).size > MAX_LOG_BYTES;
  const out = openSync(logFile, isLogFull ? 'w' : 'a', 0o600);
  try {
    // A session of its own: Ctrl-C in a terminal is for us, and we stop it when our requests are done.
    return spawn(command, args, { ...identity.user, env, detached: true, stdio: ['ignore', out, out] });
  } finally {
    closeSync(out);
  }
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

/** Does anybody else use it? Others that ask this do not count: they are leaving too. */
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
    // No room for one more is the surest sign of others.
    return (error as { code?: string }).code === TOO_MANY_CONNECTIONS;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Asks it to stop («fast»: sessions end, everything is written out) and waits until it is gone. */
async function shutDown(clusterDir: string): Promise<void> {
  const pid = runningPid(clusterDir);
  if (pid === undefined) return;
  const deadline = Date.now() + STOP_LIMIT_MS;
  signal(pid, 'SIGINT');
  while (isAlive(pid) && Date.now() < deadline) await wait(10);
  // Its log makes even this safe; the next start replays it.
  if (isAlive(pid)) signal(pid, 'SIGQUIT');
}

/** Another service that leaves may have been first, and then there is nobody to tell. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** The process that serves this cluster, when there is one. */
function runningPid(clusterDir: string): number | undefined {
  const pid = lockedBy(clusterDir);
  return pid !== undefined && isAlive(pid) && !isStranger(pid, clusterDir) ? pid : undefined;
}

function lockedBy(clusterDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(path.join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * After a crash of the machine the lock may name a process id that somebody else has by now, and PostgreSQL would refuse
 * to start for ever. Its server always runs inside its cluster, so one that runs elsewhere is not it.
 */
function removeStaleLock(clusterDir: string): void {
  const pid = lockedBy(clusterDir);
  if (pid === undefined || !isAlive(pid) || !isStranger(pid, clusterDir)) return;
  rmSync(path.join(clusterDir, 'postmaster.pid'), { force: true });
  rmSync(path.join(clusterDir, `${SOCKET_NAME}.lock`), { force: true });
}

function isStranger(pid: number, clusterDir: string): boolean {
  try {
    // The kernel names the folder itself, whatever links lead to it.
    return readlinkSync(`/proc/${pid}/cwd`) !== realpathSync(clusterDir);
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

/** The cluster's folder under a name short enough for a socket's address. */
async function shortSocketDir(clusterDir: string): Promise<{ dir: string; dispose(): Promise<void> }> {
  if (Buffer.byteLength(path.join(clusterDir, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) {
    return { dir: clusterDir, dispose: async () => {} };
  }
  // A private folder, so that nobody else can put another database under the name.
  const folder = await mkdtemp(path.join(tmpdir().length < 60 ? tmpdir() : '/tmp', 'trilho-'));
  const dir = path.join(folder, 'db');
  await symlink(clusterDir, dir);
  return { dir, dispose: () => rm(folder, { recursive: true, force: true }) };
}
