// The database of the service: its own server or the one in the settings, with the schema of this version and of this mode.
import type { Config } from '../config/config.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { type Heartbeats, watchHeartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { slowStep } from '../lib/slow-step.ts';
import { insertDemo } from '../sandbox/demo.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { type DatabaseClock, startDatabaseClock } from '../storage/database-clock.ts';
import { claimInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { openServer } from '../storage/open-server.ts';
import { keepNetworks } from '../wallets/store-networks.ts';
import type { Overrides } from './overrides.ts';
import type { Stops } from './stops.ts';

export type Storage = {
  readonly db: Database;
  /** Where the data is stored, as text for a person. */
  readonly place: string;
  readonly heartbeats: Heartbeats;
  /** The machine's time, which no sandbox moves. */
  readonly machineClock: Clock;
  readonly databaseClock: DatabaseClock;
};

export async function openStorage(config: Config, log: Log, overrides: Overrides, stops: Stops): Promise<Storage> {
  const heartbeats = watchHeartbeats(overrides.uptimeMs ?? (() => performance.now()));
  const server = await slowStep(log, 'waiting for the embedded database', () =>
    openServer(config, { log, heartbeats }),
  );
  stops.add(server.stop);
  const db = await slowStep(log, 'connecting to the database', () => connect({ connection: server.connection, log }));
  stops.add(() => db.close());
  await slowStep(log, 'bringing the schema up to date', () => migrate({ db, log }));
  const machineClock = overrides.clock ?? systemClock;
  const databaseClock = await openDatabaseClock({ db, log, heartbeats }, overrides, stops);
  await install(config, db, databaseClock);
  return { db, place: server.place, heartbeats, machineClock, databaseClock };
}

type ClockDeps = { readonly db: Database; readonly log: Log; readonly heartbeats: Heartbeats };

async function openDatabaseClock(deps: ClockDeps, { clock }: Overrides, stops: Stops): Promise<DatabaseClock> {
  if (clock) return { ...clock, offsetMs: () => 0, stop: async () => {} };
  const databaseClock = await startDatabaseClock({ ...deps, machineClock: systemClock });
  stops.add(() => databaseClock.stop());
  return databaseClock;
}

/** Marks a new database with this mode, and refuses one of the other mode. Adds networks that it does not have yet. */
async function install(config: Config, db: Database, clock: Clock): Promise<void> {
  await db.transaction(async tx => {
    const isFirstStart = await claimInstallation(tx, {
      mode: config.mode,
      at: clock.now(),
      sealsSecrets: config.masterKeys.length > 0,
    });
    await keepNetworks(tx);
    // Invented orders must not mix with real ones.
    if (isFirstStart && config.demo && config.mode === 'sandbox') await insertDemo(tx);
  });
}
