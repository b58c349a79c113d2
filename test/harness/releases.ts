// Databases as earlier versions left them: test/fixtures/releases. docs/development.md says how they are made.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { asAdmin, createDatabase, type TestDatabase } from './databases.ts';
import { silentLog } from './log.ts';
import { askDatabase } from './process.ts';

export const RELEASES = path.join(import.meta.dirname, '../fixtures/releases');

export function readReleaseFile(name: string): Buffer {
  return gunzipSync(readFileSync(path.join(RELEASES, name)));
}

/** Runs `work` on a copy of such a database, for example `0.2.0-live`. */
export async function withRelease(
  name: string,
  work: (db: Database, database: TestDatabase) => Promise<void>,
): Promise<void> {
  const database = await createDatabase('template0');
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  try {
    // The template has the schema that the dump makes.
    await asAdmin('drop schema public cascade; create schema public', new URL(database.url).pathname.slice(1));
    await askDatabase({ connectionString: database.url }, readReleaseFile(`${name}.sql.gz`).toString());
    await work(db, database);
  } finally {
    await db.close();
    await database.drop();
  }
}
