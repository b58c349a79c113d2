// The stage of a run: a PostgreSQL of its own, as the service brings it, with everything synced to disk. Databases are made
// on it as they are needed, and all goes when the run is over.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createLog } from '../src/lib/log.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';

export type Stage = {
  /** A folder for what a part writes. */
  readonly dir: string;
  readonly socketDir: string;
  url(database: string): string;
  has(database: string): Promise<boolean>;
  /** Makes a database, empty or as a copy. One of that name is dropped before. */
  create(database: string, template?: string): Promise<void>;
  drop(database: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Writes out what is dirty, so that the next round does not pay for the last. */
  calm(): Promise<void>;
  /** Returns when the server has cleared up after the last round. */
  untilCleared(): Promise<void>;
  close(): Promise<void>;
};

const MOST_LOOKS = 200;
const LOOK_AGAIN_MS = 50;

const DATA = path.join(import.meta.dirname, 'data');

export async function openStage({ keep }: { readonly keep: boolean }): Promise<Stage> {
  await mkdir(DATA, { recursive: true });
  const dir = keep ? path.join(DATA, 'kept') : await mkdtemp(path.join(DATA, 'run-'));
  const log = createLog('warn', process.stderr);
  const embedded = await startEmbeddedPostgres({ dataDir: dir, log });
  const { host = '' } = embedded.connection;
  const url = (database: string) => `postgres:///${database}?host=${encodeURIComponent(host)}&user=trilho`;
  const admin = new pg.Client({ connectionString: url('postgres') });
  await admin.connect();

  const drop = async (database: string) => {
    await admin.query(`drop database if exists ${name(database)} with (force)`);
  };

  const isClearingUp = async () => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where backend_type = 'autovacuum worker' limit 1`,
    );
    return rowCount === 1;
  };

  return {
    dir,
    socketDir: host,
    url,
    has: async database => {
      const { rowCount } = await admin.query('select from pg_database where datname = $1', [database]);
      return rowCount === 1;
    },
    create: async (database, template) => {
      await drop(database);
      // A large copy goes by file, a small one by the log: both end with everything on disk.
      const copy = template === undefined ? '' : ` template ${name(template)} strategy file_copy`;
      await admin.query(`create database ${name(database)}${copy}`);
    },
    drop,
    rename: async (from, to) => {
      await admin.query(`alter database ${name(from)} rename to ${name(to)}`);
    },
    calm: async () => {
      await admin.query('checkpoint');
    },
    untilCleared: async () => {
      for (let looks = 0; looks < MOST_LOOKS && (await isClearingUp()); looks++) await wait(LOOK_AGAIN_MS);
    },
    close: async () => {
      // Whoever is still connected would keep the server running.
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      await admin.end();
      await embedded.stop();
      if (keep) return;
      await rm(dir, { recursive: true, force: true });
      // Started by root, the cluster may have had to live elsewhere.
      await rm(path.dirname(embedded.clusterDir), { recursive: true, force: true });
    },
  };
}

function name(database: string): string {
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(database)) throw new Error(`not a name of a database: ${database}`);
  return database;
}

/** One connection for as long as `work` takes. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, options: '-c timezone=UTC' });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
