// The PostgreSQL of a run: a cluster of its own, as the service embeds it, with everything synced to disk. Parts create
// databases on it as they need them; all of them are removed at the end unless the run keeps them.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { createLog } from '../src/lib/log.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';

export type DatabaseServer = {
  /** A folder for files that a part writes. */
  readonly dir: string;
  readonly socketDir: string;
  /** The process that started all other processes of the server. */
  postmasterPid(): number;
  url(database: string): string;
  has(database: string): Promise<boolean>;
  /** Creates a database, empty or as a copy of another. Drops one of that name first. */
  create(database: string, template?: string): Promise<void>;
  drop(database: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Writes dirty pages to disk now, so that the next round does not pay for the last one. */
  checkpoint(): Promise<void>;
  /** Returns when no autovacuum worker runs, or after ten seconds. */
  waitForAutovacuum(): Promise<void>;
  close(): Promise<void>;
};

const MAX_AUTOVACUUM_CHECKS = 200;
const AUTOVACUUM_CHECK_MS = 50;

const DATA = path.join(import.meta.dirname, 'data');

export async function startDatabaseServer({ keep }: { readonly keep: boolean }): Promise<DatabaseServer> {
  await mkdir(DATA, { recursive: true });
  const dir = keep ? path.join(DATA, 'kept') : await mkdtemp(path.join(DATA, 'run-'));
  const log = createLog('warn', process.stderr);
  const embedded = await startEmbeddedPostgres({ dataDir: dir, log });
  const { host = '' } = embedded.connection;
  const url = (database: string) => `postgres:///${database}?host=${encodeURIComponent(host)}&user=trilho`;
  const admin = new pg.Client({ connectionString: url('postgres') });
  await admin.connect();

  const drop = async (database: string) => {
    await admin.query(`drop database if exists ${identifier(database)} with (force)`);
  };

  const hasAutovacuum = async () => {
    const { rowCount } = await admin.query(
      `select from pg_stat_activity where backend_type = 'autovacuum worker' limit 1`,
    );
    return rowCount === 1;
  };

  return {
    dir,
    socketDir: host,
    postmasterPid: () => {
      const [pid = ''] = readFileSync(path.join(embedded.clusterDir, 'postmaster.pid'), 'utf8').split('\n');
      return Number(pid);
    },
    url,
    has: async database => {
      const { rowCount } = await admin.query('select from pg_database where datname = $1', [database]);
      return rowCount === 1;
    },
    create: async (database, template) => {
      await drop(database);
      // Copying files is faster than writing a large database through the log.
      const copy = template === undefined ? '' : ` template ${identifier(template)} strategy file_copy`;
      await admin.query(`create database ${identifier(database)}${copy}`);
    },
    drop,
    rename: async (from, to) => {
      await admin.query(`alter database ${identifier(from)} rename to ${identifier(to)}`);
    },
    checkpoint: async () => {
      await admin.query('checkpoint');
    },
    waitForAutovacuum: async () => {
      for (let checks = 0; checks < MAX_AUTOVACUUM_CHECKS && (await hasAutovacuum()); checks++) {
        await wait(AUTOVACUUM_CHECK_MS);
      }
    },
    close: async () => {
      // The server keeps running as long as a client is connected.
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
      );
      await admin.end();
      await embedded.stop();
      if (keep) return;
      await rm(dir, { recursive: true, force: true });
      // Started by root, the cluster may lie outside of `dir`.
      await rm(path.dirname(embedded.clusterDir), { recursive: true, force: true });
    },
  };
}

function identifier(database: string): string {
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(database)) throw new Error(`not a database name: ${database}`);
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
