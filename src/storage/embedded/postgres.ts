// Runs PostgreSQL as a child process of the service: on a socket in its own folder, without a port, with fsync on.
// Several services on one data directory share it: the first one starts it, the last one stops it, and any of them
// restarts it when it is gone. The lock file of PostgreSQL allows only one server, so the data is safe.
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
  /** Stops the database, unless another service uses it. The caller closes its own connections before. */
  stop(): Promise<void>;
};

const USER = 'trilho';
const DATABASE = 'postgres';
const LEAVING = 'trilho, leaving';
const TOO_MANY_CONNECTIONS = '53300';
const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;
/** The limit of the kernel without the final zero byte: 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;
/** A killed database replays its write-ahead log before it accepts connections. */
const START_LIMIT_MS = 120_000;
const MAX_FAILED_LAUNCHES = 25;
const PROBE_EVERY_MS = 40;
const RELAUNCH_AFTER_MS = 200;
const STOP_LIMIT_MS = 30_000;
const WATCH_EVERY_MS = 1_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

const SETTINGS = {
  listen_addresses: '',
  // The working directory of the server, which is the cluster folder: a short path whatever the data directory is.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(PORT),
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Its log must not quote statements or values: they contain documents and names.
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
    // If this process is killed, the database keeps running, and the next start finds it.
    child.unref();
  }

  /** Returns when the database answers; starts it if no other service does. */
  async function ensureRunning(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    failedLaunches = 0;
    while (Date.now() < deadline && failedLaunches < MAX_FAILED_LAUNCHES) {
      const state = await probe(connection);
      if (state === 'up') return;
      if (state === 'down' && !child) {
        if (failedLaunches > 0) await wait(RELAUNCH_AFTER_MS);
        launch();
      }
      await wait(PROBE_EVERY_MS);
    }
    throw new StartError(`The embedded database does not start; its log is ${home.logFile}.`);
  }

  await ensureRunning();

  let restarting: Promise<void> | undefined;
  const watcher = setInterval(() => {
    if (restarting || runningPid(home.clusterDir) !== undefined) return;
    log.warn('the embedded database has stopped; restarting it');
    restarting = ensureRunning()
      .catch(error => log.error('the embedded database could not be restarted; it is tried again', { error }))
      .finally(() => {
        restarting = undefined;
      });
  }, WATCH_EVERY_MS);
  watcher.unref();

  return {
    connection,
    clusterDir: home.clusterDir,
    stop: async () => {
      clearInterval(watcher);
      // Wait for a restart in progress: otherwise the database would outlive this service.
      await restarting;
      if (!(await isInUse(connection))) await shutDown(home.clusterDir);
      await socket.dispose();
    },
  };
}

/** Creates the cluster in a temporary folder and renames it: a crash or a second service never leaves an incomplete one. */
async function initialise(home: Home): Promise<void> {
  const { clusterDir, identity, binDir, env } = home;
  if (existsSync(clusterDir)) return checkVersion(clusterDir, binDir);
  const draft = await mkdtemp(path.join(path.dirname(clusterDir), '.postgres-'));
  await giveTo(identity, draft);
  const [command, args] = identity.wrap(path.join(binDir, 'initdb'), [
    ...['--pgdata', draft, '--username', USER, '--auth', 'trust', '--encoding', 'UTF8'],
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--no-instructions'],
  ]);
  const initdb = spawnSync(command, args, { ...identity.user, env, cwd: draft, encoding: 'utf8' });
  if (initdb.status !== 0) {
    await rm(draft, { recursive: true, force: true });
    const reason =
      (initdb.stderr ?? '').split('\n').find(line => line.includes('error:')) ?? initdb.error?.message ?? '';
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
      `The data in ${clusterDir} is of PostgreSQL ${clusterVersion}, this Trilho has ${binaryVersion}: dump and restore it first.`,
    );
  }
}

function spawnPostgres({ clusterDir, identity, binDir, env, logFile }: Home): ChildProcess {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = identity.wrap(path.join(binDir, 'postgres'), ['-D', clusterDir, ...settings]);
  const isLogFull = existsSync(logFile) && statSync(logFile).size > MAX_LOG_BYTES;
  const out = openSync(logFile, isLogFull ? 'w' : 'a', 0o600);
  try {
    // Detached: Ctrl-C in a terminal reaches only the service, which stops the database after its requests are done.
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

/** Whether another service uses the database. Services that are asking this do not count: they are stopping too. */
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
    // All connections are taken, so others use it.
    return (error as { code?: string }).code === TOO_MANY_CONNECTIONS;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Stops the server («fast»: sessions end, data is flushed) and waits until the process has ended. */
async function shutDown(clusterDir: string): Promise<void> {
  const pid = runningPid(clusterDir);
  if (pid === undefined) return;
  const deadline = Date.now() + STOP_LIMIT_MS;
  signal(pid, 'SIGINT');
  while (isAlive(pid) && Date.now() < deadline) await wait(10);
  // The write-ahead log makes even this safe; the next start replays it.
  if (isAlive(pid)) signal(pid, 'SIGQUIT');
}

/** Another service may have stopped the process already. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** The process id of the server of this cluster, if it runs. */
function runningPid(clusterDir: string): number | undefined {
  const pid = lockedBy(clusterDir);
  return pid !== undefined && isAlive(pid) && !isOtherProgram(pid, clusterDir) ? pid : undefined;
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
 * After a crash of the machine the lock file may contain a process id that another program has now, and PostgreSQL would
 * refuse to start for ever. The working directory of a server is its cluster, so a process with another one is not a
 * server.
 */
function removeStaleLock(clusterDir: string): void {
  const pid = lockedBy(clusterDir);
  if (pid === undefined || !isAlive(pid) || !isOtherProgram(pid, clusterDir)) return;
  rmSync(path.join(clusterDir, 'postmaster.pid'), { force: true });
  rmSync(path.join(clusterDir, `${SOCKET_NAME}.lock`), { force: true });
}

function isOtherProgram(pid: number, clusterDir: string): boolean {
  try {
    // The link shows the real path, so resolve the symbolic links of the cluster path too.
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

/** The cluster folder under a path that is short enough for a socket address. */
async function shortSocketDir(clusterDir: string): Promise<{ dir: string; dispose(): Promise<void> }> {
  if (Buffer.byteLength(path.join(clusterDir, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) {
    return { dir: clusterDir, dispose: async () => {} };
  }
  // A private folder, so that no other user can put another database under this path.
  const folder = await mkdtemp(path.join(tmpdir().length < 60 ? tmpdir() : '/tmp', 'trilho-'));
  const dir = path.join(folder, 'db');
  await symlink(clusterDir, dir);
  return { dir, dispose: () => rm(folder, { recursive: true, force: true }) };
}
