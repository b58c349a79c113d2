// Opens the database of the settings, without migrating it.
import type { Log } from '../lib/log.ts';
import { asStartFault, connect } from '../storage/connect.ts';
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

/** Runs `work`, and stops what it started. A fault of the database's server or settings becomes a StartError. */
export async function withStops<T>(work: (stops: Stops) => Promise<T>): Promise<T> {
  const stops: Stops = [];
  try {
    return await work(stops);
  } catch (error) {
    throw asStartFault(error);
  } finally {
    await stopAll(stops);
  }
}

export async function stopAll(stops: Stops): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop();
}
