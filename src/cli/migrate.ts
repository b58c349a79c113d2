// trilho migrate: brings the schema of DATABASE_URL up to date and leaves.
import type { Config } from '../config/config.ts';
import { StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { asStartFault, connect } from '../storage/connect.ts';
import { migrate } from '../storage/migrate.ts';
import { sayDatabase } from './say-database.ts';

export async function migrateCommand(config: Config, log: Log): Promise<number> {
  if (config.databaseUrl === undefined) {
    throw new StartError('trilho migrate needs DATABASE_URL; the embedded database is migrated at every start.');
  }
  sayDatabase(config);
  const db = await connect({ connection: { connectionString: config.databaseUrl }, log });
  try {
    await migrate({ db, log });
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await db.close();
  }
  console.log('The schema is up to date.');
  return 0;
}
