// Opens the database of the settings as it is: that of DATABASE_URL, or the embedded one, which may be running already and then
// goes on running.
import type { Config } from '../config/config.ts';
import type { Log } from '../lib/log.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';

export type Stops = (() => Promise<void>)[];

type Place = { readonly config: Pick<Config, 'databaseUrl' | 'dataDir' | 'walArchive'>; readonly log: Log };

/** What it starts is stopped by `stops`, last first. */
export async function openDatabaseOf({ config, log }: Place, stops: Stops): Promise<Database> {
  const { databaseUrl, dataDir, walArchive: archiveDir } = config;
  const embedded = databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir, log, archiveDir }) : undefined;
  if (embedded) stops.push(() => embedded.stop());
  const connection = embedded?.connection ?? { connectionString: databaseUrl };
  const db = await connect({ connection, log });
  stops.push(() => db.close());
  return db;
}

export async function stopAll(stops: Stops): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}
