// The faults of the database, or of the clock of the service, and how they end.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { runningPid } from '../../src/storage/embedded/server-process.ts';
import type { DrillDatabase } from '../database.ts';
import { family } from '../failover/programs.ts';

/** What a fault needs that may be missing, and how to get it. */
export const NEEDS = { root: 'run it as root, who may mount a small disk', faketime: 'sh drills/install.sh' } as const;
type Need = keyof typeof NEEDS;

export type Fault = {
  readonly name: string;
  /** Undefined if it can be tried here. */
  readonly lacks?: Need | undefined;
  /** Whether callers wait for a table. */
  readonly isLock?: boolean;
  /** Whether the node says that it is not ready. */
  readonly isUnready: boolean;
  /** Whether some callers must be refused; otherwise the fault did not happen. */
  readonly refuses: boolean;
  /** Returns a function that ends it. */
  begin(): Promise<() => Promise<void>>;
};

const ON_TIME = '+0';
/** Seconds, both ways. */
const STEPS = ['+90', '-90'];
const TOO_MANY_CONNECTIONS = '53300';

type StepClock = { readonly env: Readonly<Record<string, string>>; readonly file: string };

/** Lets the drill move the clock of one process; undefined if libfaketime is not installed. */
export function stepClock(dir: string): StepClock | undefined {
  const found = spawnSync('faketime', ['-f', ON_TIME, 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
  if (found.status !== 0) return undefined;
  const file = path.join(dir, 'clock');
  writeFileSync(file, ON_TIME);
  const env = {
    LD_PRELOAD: found.stdout.trim(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, file };
}

export function faultsOf(at: DrillDatabase, clock: StepClock | undefined): Fault[] {
  const { url, clusterDir, ownDisk } = at;
  return [
    {
      name: 'database stopped',
      isUnready: true,
      refuses: true,
      begin: async () => {
        // At once, without a last checkpoint.
        process.kill(runningPid(clusterDir)!, 'SIGQUIT');
        await at.stop();
        return () => at.start();
      },
    },
    {
      name: 'database silent',
      isUnready: true,
      refuses: true,
      begin: async () => {
        const pids = family(runningPid(clusterDir)!);
        for (const pid of pids) process.kill(pid, 'SIGSTOP');
        return async () => {
          for (const pid of pids) process.kill(pid, 'SIGCONT');
        };
      },
    },
    { name: 'connections exhausted', isUnready: true, refuses: true, begin: () => takeAllConnections(url) },
    {
      name: 'disk full',
      lacks: ownDisk === undefined ? 'root' : undefined,
      isUnready: true,
      refuses: true,
      begin: async () => {
        const file = path.join(ownDisk!, 'filler');
        spawnSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=64k'], { stdio: 'ignore' });
        return () => rm(file);
      },
    },
    {
      name: 'read-only',
      isUnready: true,
      refuses: true,
      begin: async () => {
        await ask(url, 'alter database postgres set default_transaction_read_only = on');
        await ask(url, END_SESSIONS);
        return () => ask(url, 'alter database postgres reset default_transaction_read_only');
      },
    },
    ...['charges', 'events', 'api_keys'].map(table => ({
      name: `table ${table} locked`,
      isLock: true,
      isUnready: false,
      refuses: true,
      begin: () => lock(url, table),
    })),
    ...STEPS.map(step => ({
      name: `clock stepped by ${step} s`,
      lacks: clock === undefined ? ('faketime' as const) : undefined,
      isUnready: true,
      refuses: false,
      begin: async () => {
        writeFileSync(clock!.file, step);
        return async () => writeFileSync(clock!.file, ON_TIME);
      },
    })),
  ];
}

const END_SESSIONS = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name = 'trilho'`;

async function open(url: string): Promise<pg.Client> {
  const options = '-c default_transaction_read_only=off';
  const client = new pg.Client({ connectionString: url, application_name: 'drill', options });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function ask(url: string, text: string): Promise<void> {
  const client = await open(url);
  await client.query(text).finally(() => client.end());
}

async function lock(url: string, table: string): Promise<() => Promise<void>> {
  const client = await open(url);
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return () => client.end();
}

/** Takes every free connection; none of them is the service's. */
async function takeAllConnections(url: string): Promise<() => Promise<void>> {
  const first = await open(url);
  const taken = [first];
  for (let isOver = false; !isOver; ) {
    await first.query(END_SESSIONS);
    for (;;) {
      try {
        taken.push(await open(url));
      } catch (error) {
        if ((error as { code?: string }).code !== TOO_MANY_CONNECTIONS) throw error;
        break;
      }
    }
    const { rows } = await first.query(
      `select from pg_stat_activity where backend_type = 'client backend' and application_name = 'trilho'`,
    );
    isOver = rows.length === 0;
  }
  return async () => {
    await Promise.all(taken.map(client => client.end()));
  };
}
