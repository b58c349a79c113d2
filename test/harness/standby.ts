// A PostgreSQL server with a streaming standby, for what a replica does and does not show. The project brings no
// pg_basebackup, so both begin as copies of one stopped cluster.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Home, settleHome } from '../../src/storage/embedded/home.ts';
import { askDatabase, type Over, ownFolder, until } from './process.ts';

export type Standby = {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** The standby keeps receiving and stops replaying. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Promotes the standby to a primary. */
  promote(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
};

const SETTINGS = ['-c', 'listen_addresses=', '-c', 'unix_socket_directories=.', '-c', 'fsync=off'];

export async function startStandby(t: Over): Promise<Standby> {
  const folder = await ownFolder(t);
  await chmod(folder, 0o755);
  const home = await settleHome(path.join(folder, 'data'));
  const parent = path.dirname(home.clusterDir);
  t.after(() => rm(parent, { recursive: true, force: true }));
  const copy = (name: string) => {
    const place = path.join(parent, name);
    // Keeps the owner: PostgreSQL refuses to run for another user.
    execFileSync('cp', ['-a', process.env['TEST_READY_CLUSTER']!, place]);
    return place;
  };
  const [primary, replica] = [copy('primary'), copy('replica')];
  await writeFile(path.join(replica, 'standby.signal'), '');
  await startServer(t, home, primary);
  const asStandby = ['-c', `primary_conninfo=host=${primary} user=trilho`];
  let replicaServer = await startServer(t, home, replica, asStandby);
  const askReplica = (text: string) => askDatabase({ connectionString: urlOf(replica) }, text);
  return {
    primaryUrl: urlOf(primary),
    replicaUrl: urlOf(replica),
    pause: async () => void (await askReplica('select pg_wal_replay_pause()')),
    resume: async () => void (await askReplica('select pg_wal_replay_resume()')),
    promote: async () => void (await askReplica('select pg_promote()')),
    stop: () => replicaServer.stop(),
    start: async () => {
      replicaServer = await startServer(t, home, replica, asStandby);
    },
  };
}

function urlOf(clusterDir: string): string {
  return `postgres:///postgres?host=${encodeURIComponent(clusterDir)}&user=trilho`;
}

async function startServer(t: Over, { identity, binDir, env }: Home, clusterDir: string, more: string[] = []) {
  const [command, args] = identity.wrap(path.join(binDir, 'postgres'), ['-D', clusterDir, ...SETTINGS, ...more]);
  const server = spawn(command, args, { ...identity.user, env, cwd: clusterDir, stdio: 'ignore' });
  const ended = once(server, 'exit');
  const stop = async () => {
    // «Immediate»: what it held is thrown away with it.
    if (server.exitCode === null) server.kill('SIGQUIT');
    await ended;
  };
  t.after(stop);
  await until(`the server in ${path.basename(clusterDir)} to answer`, () => {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    return askDatabase({ connectionString: urlOf(clusterDir) }, 'select 1').catch(() => undefined);
  });
  return { stop };
}
