// Three PostgreSQL servers under Patroni, an etcd that decides who leads, and a HAProxy that leads callers there. Everything is
// on this machine, on ports of its own, in one folder.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../test/harness/process.ts';
import { type Link, openLink } from './link.ts';
import { family, ordinaryUser, type Program, run, signalAll } from './programs.ts';

type Replication = 'synchronous' | 'asynchronous';

export type Member = {
  readonly name: string;
  readonly link: Link;
  start(): void;
  /** The agent and its server. */
  signal(name: NodeJS.Signals): void;
  /** Stops the log from the leader. Returns a function that lets the server request it again. */
  loseLeader(): Promise<() => void>;
  isLeader(): Promise<boolean>;
};

export type Cluster = {
  /** The address of the leader for callers. */
  readonly url: string;
  readonly members: readonly Member[];
  /** Undefined: there is no leader, or no answer. */
  leader(): Promise<Member | undefined>;
  /** Whether all follow one leader, and in synchronous replication one of them confirms what it writes. */
  isWhole(): Promise<boolean>;
  stop(): Promise<void>;
};

type State = { readonly members: readonly { readonly role: string; readonly state: string }[] };

const MEMBERS = ['one', 'two', 'three'];
const PASSWORD = 'drill';
const ASK_LIMIT_MS = 1_000;
const LOOK_MS = 250;
const START_LIMIT_MS = 120_000;
const TIMES = { ttl: 20, loop_wait: 2, retry_timeout: 5 };

export async function startCluster(dir: string, replication: Replication): Promise<Cluster> {
  const user = ordinaryUser();
  const own = (folder: string) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (user) chownSync(folder, user.uid, user.gid);
    return folder;
  };
  own(dir);
  const [etcdPort, peerPort, frontPort] = [await freePort(), await freePort(), await freePort()];
  const at = (port: number) => `http://127.0.0.1:${port}`;
  const etcd = run(dir, user, 'etcd', 'etcd', [
    ...['--data-dir', own(path.join(dir, 'etcd')), '--name', 'drill', '--initial-cluster', `drill=${at(peerPort)}`],
    ...['--listen-client-urls', at(etcdPort), '--advertise-client-urls', at(etcdPort)],
    ...['--enable-v2', '--listen-peer-urls', at(peerPort), '--initial-advertise-peer-urls', at(peerPort)],
  ]);
  const programs = new Map<string, Program>();
  const places: { readonly name: string; readonly restPort: number; readonly port: number }[] = [];
  const members: Member[] = [];
  const askAbout = async (port: number, what: string) =>
    fetch(`${at(port)}/${what}`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) }).catch(() => undefined);

  for (const name of MEMBERS) {
    const [restPort, port, link] = [await freePort(), await freePort(), await openLink(etcdPort)];
    places.push({ name, restPort, port });
    const file = path.join(dir, `${name}.json`);
    const dataDir = path.join(own(path.join(dir, name)), 'data');
    // JSON is YAML, too.
    writeFileSync(
      file,
      JSON.stringify(settingsOf({ name, restPort, port, dataDir, etcdPort: link.port, replication })),
    );
    const start = () => void programs.set(name, run(dir, user, name, 'patroni', [file]));
    start();
    members.push({
      name,
      link,
      start,
      signal: signal => signalAll([...programs.get(name)!.pids(), ...serverIn(dataDir)], signal),
      loseLeader: () => stopReceiver(`postgres://trilho:${PASSWORD}@127.0.0.1:${port}/postgres`),
      isLeader: async () => (await askAbout(restPort, 'primary'))?.status === 200,
    });
  }
  const frontFile = path.join(dir, 'haproxy.cfg');
  writeFileSync(frontFile, frontSettings(frontPort, places));
  const front = run(dir, user, 'haproxy', 'haproxy', ['-db', '-f', frontFile]);

  const leader = async () => {
    const leads = await Promise.all(members.map(member => member.isLeader()));
    return members.find((_, index) => leads[index]);
  };
  const isWhole = async () => {
    const answer = await askAbout(places[0]!.restPort, 'cluster');
    if (!answer?.ok) return false;
    const state = ((await answer.json()) as State).members;
    const isUp = state.length === MEMBERS.length && state.every(one => ['running', 'streaming'].includes(one.state));
    const roles = state.map(({ role }) => role);
    return isUp && roles.includes('leader') && (replication !== 'synchronous' || roles.includes('sync_standby'));
  };
  const stop = async () => {
    await front.stop();
    for (const member of members) member.signal('SIGCONT');
    await Promise.all([...programs.values()].map(program => program.stop()));
    await etcd.stop();
    for (const { link } of members) link.stop();
  };
  const limit = performance.now() + START_LIMIT_MS;
  while (!(await isWhole())) {
    await wait(LOOK_MS);
    if (performance.now() < limit) continue;
    await stop();
    throw new Error(`the cluster did not start; its logs were in ${dir}`);
  }
  const url = `postgres://trilho:${PASSWORD}@127.0.0.1:${frontPort}/postgres`;
  return { url, members, leader, isWhole, stop };
}

type Settings = {
  readonly name: string;
  readonly restPort: number;
  readonly port: number;
  readonly dataDir: string;
  readonly etcdPort: number;
  readonly replication: Replication;
};

function settingsOf({ name, restPort, port, dataDir, etcdPort, replication }: Settings) {
  const isSynchronous = replication === 'synchronous';
  const rest = `127.0.0.1:${restPort}`;
  const server = `127.0.0.1:${port}`;
  const role = { username: 'trilho', password: PASSWORD };
  return {
    scope: 'drill',
    name,
    restapi: { listen: rest, connect_address: rest },
    // As a proxy: otherwise Patroni asks etcd for its address and goes there, past the link. By version 2 of etcd's protocol: by
    // version 3 Patroni 3.0.2 lets a leader that was stopped take the lead back, and then no standby can follow it.
    etcd: { proxy: `http://127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...TIMES,
        // How far a standby may be behind and still lead: any way, or the control would have no new leader.
        maximum_lag_on_failover: 1024 ** 3,
        synchronous_mode: isSynchronous,
        synchronous_mode_strict: isSynchronous,
        postgresql: { use_pg_rewind: true, parameters: { wal_log_hints: 'on', max_connections: 100 } },
      },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
      pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust', 'local all all trust'],
    },
    postgresql: {
      listen: server,
      connect_address: server,
      data_dir: dataDir,
      bin_dir: execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim(),
      authentication: { superuser: role, replication: { ...role, username: 'replicator' }, rewind: role },
      parameters: { unix_socket_directories: path.dirname(dataDir) },
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
  };
}

function frontSettings(port: number, places: readonly { name: string; restPort: number; port: number }[]): string {
  const servers = places.map(one => `  server ${one.name} 127.0.0.1:${one.port} check port ${one.restPort}`);
  return `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
listen leader
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}

/** Patroni's server is no child of Patroni. */
function serverIn(dataDir: string): number[] {
  try {
    return family(Number.parseInt(readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8'), 10));
  } catch {
    return [];
  }
}

/** What has arrived meanwhile must not be read at the end, so the process is not only woken. */
async function stopReceiver(url: string): Promise<() => void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ASK_LIMIT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_wal_receiver');
    const pids = rows.map(({ pid }) => pid);
    signalAll(pids, 'SIGSTOP');
    return () => {
      signalAll(pids, 'SIGTERM');
      signalAll(pids, 'SIGCONT');
    };
  } catch {
    // A stopped server receives nothing.
    return () => {};
  } finally {
    await client.end();
  }
}
