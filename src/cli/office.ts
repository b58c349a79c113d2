// What a command that acts needs: the database of DATABASE_URL, or the embedded one, which may be running already and then
// goes on running. What it changes is written to the audit log as the operator's doing.
import type { Config } from '../config.ts';
import { type Queue, startQueue } from '../jobs/queue.ts';
import { acting, apart } from '../lib/act.ts';
import { systemClock } from '../lib/clock.ts';
import { AppError, StartError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import { asStartFault, connect } from '../storage/connect.ts';
import type { Database } from '../storage/database.ts';
import { startEmbeddedPostgres } from '../storage/embedded/postgres.ts';
import { claimInstallation, requireInstallation } from '../storage/installation.ts';
import { migrate } from '../storage/migrate.ts';
import { type SharedClock, sharedClock } from '../storage/shared-clock.ts';

export type Desk = { readonly db: Database; readonly clock: SharedClock };
export type Office = Desk & { readonly queue: Queue };

type Task = {
  readonly config: Config;
  readonly log: Log;
  /** The command, as the audit log names it. */
  readonly action: string;
};

/** Does `work` on charges, where a service has started before, and leaves everything as it was found. */
export async function withOffice<T>(task: Task, work: (office: Office) => Promise<T>): Promise<T> {
  return withDatabase(task, async (desk, stops) => {
    await requireInstallation(desk.db, task.config.mode);
    const queue = await startQueue({ db: desk.db, log: task.log });
    stops.push(() => queue.stop());
    return work({ ...desk, queue });
  });
}

/**
 * Does `work` on accounts and keys. In live that comes before the first start, so it takes a new database for live; the
 * first start of a sandbox fills it and is left to the service.
 */
export async function withDesk<T>(task: Task, work: (desk: Desk) => Promise<T>): Promise<T> {
  const { mode } = task.config;
  return withDatabase(task, async desk => {
    const claim = () => desk.db.transaction(tx => claimInstallation(tx, mode, desk.clock.now()));
    // As the first start would: that is nobody's doing.
    if (mode === 'live') await apart(claim);
    else await requireInstallation(desk.db, mode);
    return work(desk);
  });
}

type Stops = (() => Promise<void>)[];

async function withDatabase<T>(task: Task, work: (desk: Desk, stops: Stops) => Promise<T>): Promise<T> {
  const { config, log, action } = task;
  const stops: Stops = [];
  try {
    const embedded =
      config.databaseUrl === undefined ? await startEmbeddedPostgres({ dataDir: config.dataDir, log }) : undefined;
    if (embedded) stops.push(() => embedded.stop());
    const connection = embedded?.connection ?? { connectionString: config.databaseUrl! };
    const db = await connect({ connection, log });
    stops.push(() => db.close());
    await migrate({ db, log });
    const clock = sharedClock(db, systemClock);
    await clock.refresh();
    const act = { actor: 'operator', action, at: clock.now(), status: 0 };
    const result = await acting(act, () => work({ db, clock }, stops));
    await sealAudit(db);
    return result;
  } catch (error) {
    // A refusal is said in one line.
    if (error instanceof AppError && error.code !== 'unavailable') throw new StartError(error.message);
    throw asStartFault(error);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
