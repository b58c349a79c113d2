// Opens the database of the settings as it is.
import type { Log } from '../lib/log.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { openServer, type ServerSettings } from '../storage/open-server.ts';

export type Stops = (() => Promise<void>)[];

type Place = { readonly config: ServerSettings; readonly log: Log };

/** What it starts is stopped by `stops`, last first. */
export async function openDatabaseOf({ config, log }: Place, stops: Stops): Promise<Database> {
  const server = await openServer(config, { log });
  stops.push(server.stop);
  const db = await connect({ connection: server.connection, log });
  stops.push(() => db.close());
  return db;
}

export async function stopAll(stops: Stops): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}
