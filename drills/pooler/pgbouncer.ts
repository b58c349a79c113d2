// A PgBouncer in front of one database server on this machine.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../test/harness/process.ts';

type PgBouncer = {
  readonly url: string;
  restart(): Promise<void>;
  stop(): Promise<void>;
};

type Options = {
  /** Where its settings are written. */
  readonly dir: string;
  /** Where the server has its socket. */
  readonly socketDir: string;
  readonly poolMode: 'session' | 'transaction';
  /** What a client sets at the beginning of a session, and the pooler drops. */
  readonly ignored: readonly string[];
};

const START_CHECKS = 300;
const CHECK_MS = 100;

export async function startPgBouncer({ dir, socketDir, poolMode, ignored }: Options): Promise<PgBouncer> {
  const port = await freePort();
  const file = path.join(dir, `pgbouncer-${port}.ini`);
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: poolMode,
    default_pool_size: 60,
    max_client_conn: 200,
    ...(ignored.length > 0 && { ignore_startup_parameters: ignored.join(',') }),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  writeFileSync(file, ['[databases]', `* = host=${socketDir} user=trilho`, '[pgbouncer]', ...lines, ''].join('\n'));
  let child: ChildProcess;

  async function start(): Promise<void> {
    // It refuses to be root, and the database of a drill that root runs lies where only root may read.
    const isRoot = process.getuid?.() === 0;
    child = isRoot
      ? spawn('unshare', ['--user', '--map-user=1000', '--', 'pgbouncer', '--quiet', file], { stdio: 'ignore' })
      : spawn('pgbouncer', ['--quiet', file], { stdio: 'ignore' });
    const failed = once(child, 'error').then(([error]) => Promise.reject(error));
    failed.catch(() => {});
    for (let checks = 0; checks < START_CHECKS; checks++) {
      if (await Promise.race([isOpen(port), failed])) return;
      await wait(CHECK_MS);
    }
    throw new Error('PgBouncer did not start: sh drills/install.sh installs it.');
  }

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  }

  await start();
  return {
    url: `postgres://trilho@127.0.0.1:${port}/postgres`,
    restart: async () => {
      await stop();
      await start();
    },
    stop,
  };
}

function isOpen(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
