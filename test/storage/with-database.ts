// A database for one test, without a service.
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';

type Work = (db: Database, database: TestDatabase) => Promise<void>;

export async function withDatabase(template: string, work: Work): Promise<void> {
  const database = await createDatabase(template);
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  try {
    await work(db, database);
  } finally {
    await db.close();
    await database.drop();
  }
}

export const withEmptyDatabase = (work: Work): Promise<void> => withDatabase('template1', work);

export const tablesOf = async (db: Database) =>
  (
    await db.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
    )
  ).map(({ name }) => name);
