// The server process of an embedded database: starts and stops it, and finds who holds its lock file.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { isAlive } from '../../lib/processes.ts';
import type { Home } from './home.ts';

export const USER = 'trilho';
const DATABASE = 'postgres';
const PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${PORT}`;
/** The limit of the kernel without the final zero byte: 107 bytes on Linux, 103 on macOS. */
const MAX_SOCKET_PATH_BYTES = 103;
const STOP_LIMIT_MS = 30_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Settings of the server by their names. */
export type ServerSettings = Readonly<Record<string, string>>;

const SETTINGS: ServerSettings = {
  listen_addresses: '',
  // Relative to the working directory of the server, the cluster folder: a short path for any data directory.
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(PORT),
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // The log must not quote statements or values: they have documents and names.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** The connection to a server in this folder. */
export function connectionIn(socketDir: string): pg.PoolConfig & { readonly host: string } {
  return { host: socketDir, port: PORT, user: USER, database: DATABASE };
}

/** `more`: settings in addition to the usual ones. */
export function spawnPostgres(
  { clusterDir, identity, binDir, env, logFile }: Home,
  more: ServerSettings = {},
): ChildProcess {
  const settings = Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = identity.wrap(path.join(binDir, 'postgres'), ['-D', clusterDir, ...settings]);
  const isLogFull = existsSync(logFile) && statSync(logFile).size > MAX_LOG_BYTES;
  const out = openSync(logFile, isLogFull ? 'w' : 'a', 0o600);
  try {
    // Detached: Ctrl-C in a terminal reaches only the service, which stops the database after its requests are finished.
    return spawn(command, args, { ...identity.user, env, detached: true, stdio: ['ignore', out, out] });
  } finally {
    closeSync(out);
  }
}

/** Stops the server («fast»: sessions end, data is flushed) and waits until the process has ended. */
export async function shutDown(clusterDir: string): Promise<void> {
  const pid = runningPid(clusterDir);
  if (pid === undefined) return;
  const deadline = Date.now() + STOP_LIMIT_MS;
  signal(pid, 'SIGINT');
  while (isAlive(pid) && Date.now() < deadline) await wait(10);
  // The write-ahead log makes even this safe; the next start replays it.
  if (isAlive(pid)) signal(pid, 'SIGQUIT');
}

/** Another service may have stopped the process already. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** The process id of the server of this cluster, if it runs. */
export function runningPid(clusterDir: string): number | undefined {
  const pid = lockedBy(clusterDir);
  return pid !== undefined && isServerOf(pid, clusterDir) ? pid : undefined;
}

export function isServerOf(pid: number, clusterDir: string): boolean {
  return isAlive(pid) && !isOtherProgram(pid, clusterDir);
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
export function removeStaleLock(clusterDir: string): void {
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

/** The cluster folder under a path that is short enough for a socket address. */
export async function shortSocketDir(clusterDir: string): Promise<{ dir: string; dispose(): Promise<void> }> {
  if (Buffer.byteLength(path.join(clusterDir, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES) {
    return { dir: clusterDir, dispose: async () => {} };
  }
  // A private folder, so that no other user can put another database under this path.
  const folder = await mkdtemp(path.join(tmpdir().length < 60 ? tmpdir() : '/tmp', 'trilho-'));
  const dir = path.join(folder, 'db');
  await symlink(clusterDir, dir);
  return { dir, dispose: () => rm(folder, { recursive: true, force: true }) };
}
