// Databases for tests: each a copy of the migrated template on the suite's one server, dropped when its test is over.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Row, Sql } from '../../src/storage/database.ts';
import type { Over } from './process.ts';

export const TEMPLATE = 'trilho_template';

export function databaseUrl(name: string): string {
  const host = process.env['TEST_SOCKET_DIR'];
  if (host === undefined) throw new Error('run tests through npm: npm test, or npm run test:file -- test/<file>');
  return `postgres:///${name}?host=${encodeURIComponent(host)}&user=trilho`;
}

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

export async function createDatabase(template = TEMPLATE): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // Copying files takes a fifth of the time of logging every page.
  await asAdmin(`create database ${name} template ${template} strategy file_copy`);
  return { url: databaseUrl(name), drop: () => asAdmin(`drop database ${name} with (force)`) };
}

/** A session beside the service, for what another program does in its database. */
export async function sessionOn(t: Over, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  // The database may be dropped before it ends.
  client.on('error', () => {});
  await client.connect();
  t.after(() => client.end());
  return client;
}

export async function asAdmin(statement: string, database = 'postgres'): Promise<void> {
  const admin = new pg.Client({ connectionString: databaseUrl(database) });
  await admin.connect();
  try {
    await admin.query(statement);
  } finally {
    await admin.end();
  }
}

/** A single connection, for what a pool would hide: plans, settings, savepoints. */
export async function connectTo({ url }: TestDatabase): Promise<{ readonly client: pg.Client; readonly sql: Sql }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const sql: Sql = {
    query: async <R extends Row>(text: string, values: readonly unknown[] = []) =>
      (await client.query<R>(text, [...values])).rows,
  };
  return { client, sql };
}
