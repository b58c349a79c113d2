// One embedded database for the whole suite, with a migrated template that each test copies.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startQueue } from '../src/jobs/queue.ts';
import { openDatabase } from '../src/storage/database.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';
import { migrate } from '../src/storage/migrate.ts';
import { databaseUrl, TEMPLATE } from './harness/databases.ts';
import { silentLog } from './harness/log.ts';

let folder: string;
let embedded: EmbeddedPostgres;

export async function globalSetup(): Promise<void> {
  // Every file is a process of its own and loads the same sources.
  process.env['NODE_COMPILE_CACHE'] = path.join(import.meta.dirname, '../node_modules/.cache/compiled');
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-test-'));
  embedded = await startEmbeddedPostgres({ dataDir: folder, log: silentLog });
  // Inherited by the processes that run the test files.
  process.env['TEST_SOCKET_DIR'] = embedded.connection.host;
  const admin = new pg.Client({ connectionString: databaseUrl('postgres') });
  await admin.connect();
  await admin.query(`create database ${TEMPLATE}`);
  await admin.end();
  const db = openDatabase({ connection: { connectionString: databaseUrl(TEMPLATE) }, log: silentLog });
  await migrate({ db, log: silentLog });
  const queue = await startQueue({ db, log: silentLog });
  await queue.stop();
  await db.close();
}

export async function globalTeardown(): Promise<void> {
  await embedded.stop();
  await rm(folder, { recursive: true, force: true });
}
