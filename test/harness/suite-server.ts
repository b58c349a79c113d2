// The PostgreSQL server of the suite. The service's own code makes and migrates one cluster; a copy of it serves the tests, and
// the original stays stopped, for tests that start a service with a data directory of its own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS } from '../../src/nouns.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { type Home, settleHome } from '../../src/storage/embedded/home.ts';
import { startEmbeddedPostgres } from '../../src/storage/embedded/postgres.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { asAdmin, TEMPLATE } from './databases.ts';
import { silentLog } from './log.ts';
import { until } from './process.ts';

/** Nothing in this server outlives the suite. What the service sets for its own is tested in process/embedded.deep.test.ts. */
const SETTINGS = {
  listen_addresses: '',
  unix_socket_directories: '.',
  // Three files run in parallel, each with several services.
  max_connections: '300',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  // A database lives for seconds.
  autovacuum: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** In memory, where files are created and removed many times as fast as on a disk. */
const MEMORY_DISK = '/dev/shm';
const LEAST_MEMORY_BYTES = 4 * 1024 ** 3;

/** Runs the server while `work` runs, and stops it also on an interrupt. */
export async function withSuiteServer<T>(work: () => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(roomiestPlace(), 'trilho-test-'));
  const server = await startSuiteServer(folder);
  const end = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const interrupted = () => void end().finally(() => process.exit(1));
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, interrupted);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, interrupted);
    await end();
  }
}

function roomiestPlace(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return bavail * bsize >= LEAST_MEMORY_BYTES ? MEMORY_DISK : tmpdir();
  } catch {
    return tmpdir();
  }
}

/** Starts it, with the template that tests copy, and passes its address to the processes that run the test files. */
async function startSuiteServer(folder: string): Promise<{ stop(): Promise<void> }> {
  const home = await settleHome(folder);
  await makeCluster(folder);
  const running = path.join(path.dirname(home.clusterDir), 'suite');
  // Keeps the owner: PostgreSQL refuses to run for another user.
  execFileSync('cp', ['-a', home.clusterDir, running]);
  process.env['TEST_READY_CLUSTER'] = home.clusterDir;
  process.env['TEST_SOCKET_DIR'] = running;
  const server = spawnServer(home, running);
  await until('the database of the suite to answer', () => {
    if (server.exitCode !== null) throw new Error(`the database of the suite ended with ${server.exitCode}`);
    return asAdmin(`create database ${TEMPLATE} template postgres`, 'template1').then(
      () => true,
      () => false,
    );
  });
  return {
    stop: async () => {
      const ended = once(server, 'exit');
      // «Fast»: open sessions are ended.
      server.kill('SIGINT');
      await ended;
      // Not inside `folder` where another user has to run the database.
      await rm(path.dirname(home.clusterDir), { recursive: true, force: true });
    },
  };
}

/** A stopped cluster, migrated and with its queue, in which no service has been installed. */
async function makeCluster(dataDir: string): Promise<void> {
  const embedded = await startEmbeddedPostgres({ dataDir, log: silentLog });
  const db = openDatabase({ connection: embedded.connection, log: silentLog });
  await migrate({ db, log: silentLog });
  const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  await queue.stop();
  await db.close();
  await embedded.stop();
}

function spawnServer({ identity, binDir, env }: Home, clusterDir: string) {
  const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = identity.wrap(path.join(binDir, 'postgres'), ['-D', clusterDir, ...settings]);
  return spawn(command, args, { ...identity.user, env, cwd: clusterDir, stdio: 'ignore' });
}
