// What a command that acts on charges needs: the database of DATABASE_URL, or the embedded one, which may be running already
// and then goes on running.
import type { Config } from '../config.ts';
import { type Queue, startQueue } from '../jobs/queue.ts';
import { systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';
import { requireInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { type SharedClock, sharedClock } from '../storage/shared-clock.ts';

export type Office = { readonly db: Database; readonly queue: Queue; readonly clock: SharedClock };

/** Does `work` with an open database and leaves everything as it was found. */
export async function withOffice<T>(config: Config, log: Log, work: (office: Office) => Promise<T>): Promise<T> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const embedded =
      config.databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : undefined;
    if (embedded) stops.push(() => embedded.stop());
    const connection = embedded?.connection ?? { connectionString: config.databaseUrl! };
    const db = await connect({ connection, log });
    stops.push(() => db.close());
    await migrate({ db, log });
    await requireInstallation(db, config.mode);
    const queue = await startQueue({ db, log });
    stops.push(() => queue.stop());
    const clock = sharedClock(db, systemClock);
    await clock.refresh();
    return await work({ db, queue, clock });
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
