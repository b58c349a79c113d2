// What a command that acts needs: the database of DATABASE_URL, or the embedded one, which may be running already and then
// goes on running. It must be there: only the service makes one, so a command in the wrong folder does not answer from an
// empty database. It leaves the schema as it is: with migrations of a newer version, nodes of the one before could not be started
// again. What a command changes is written to the audit log as the operator's doing.

import { openLinks } from '../charges/links/links.ts';
import { type PaymentBatches, startPaymentBatches } from '../charges/receive/pay.ts';
import type { WriteDeps } from '../charges/write.ts';
import type { Config } from '../config/config.ts';
import { startQueue } from '../jobs/queue.ts';
import { withAuditContext, withoutAuditContext } from '../lib/audit-context.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { ALL_JOBS } from '../nouns.ts';
import { sandboxClock } from '../sandbox/clock/sandbox-clock.ts';
import { sealAudit } from '../storage/audit-chain.ts';
import type { Database } from '../storage/database.ts';
import { startDatabaseClock } from '../storage/database-clock.ts';
import { claimInstallation, requireInstallation, requireSchema } from '../storage/installation.ts';
import { requireMigrated } from '../storage/migrate.ts';
import { secretBox } from '../storage/secret-box.ts';
import { localUrl } from './local-url.ts';
import { openDatabaseOf, type Stops, withStops } from './open-database.ts';
import { sayDatabase } from './say-database.ts';

export type CommandDeps = { readonly db: Database; readonly clock: Clock };

type Task = {
  readonly config: Config;
  readonly log: Log;
  /** The command, as the audit log names it. */
  readonly action: string;
};

/** Does `work` on charges, where a service has started before, and leaves everything as it was found. */
export async function withCharges<T>(
  task: Task,
  work: (deps: CommandDeps & WriteDeps & { readonly paymentBatches: PaymentBatches }) => Promise<T>,
): Promise<T> {
  return runCommand(task, async (deps, stops) => {
    await requireInstallation(deps.db, task.config.mode);
    const queue = await startQueue({
      db: deps.db,
      log: task.log,
      kinds: ALL_JOBS,
    });
    stops.push(() => queue.stop());
    const links = await openLinks(deps.db, localUrl(task.config), secretBox(task.config.masterKeys));
    const writing = { ...deps, queue, links };
    return work({ ...writing, paymentBatches: startPaymentBatches(writing) });
  });
}

/**
 * Does `work` on accounts and keys. In live that comes before the first full start, so a database that has only a schema
 * becomes live's; the first start of a sandbox fills it and is left to the service.
 */
export async function withDatabase<T>(task: Task, work: (deps: CommandDeps) => Promise<T>): Promise<T> {
  const { mode, masterKeys } = task.config;
  const sealsSecrets = masterKeys.length > 0;
  return runCommand(task, async deps => {
    const claim = () => deps.db.transaction(tx => claimInstallation(tx, { mode, at: deps.clock.now(), sealsSecrets }));
    // As the first start would: that is no operator's act.
    if (mode === 'live') await withoutAuditContext(claim);
    else await requireInstallation(deps.db, mode);
    return work(deps);
  });
}

async function runCommand<T>(task: Task, work: (deps: CommandDeps, stops: Stops) => Promise<T>): Promise<T> {
  const { config, action } = task;
  sayDatabase(config);
  return withStops(async stops => {
    const db = await openDatabaseOf(task, stops);
    await requireSchema(db);
    await requireMigrated(db);
    const clock = await openClock(task, db, stops);
    const context = { actor: 'operator', action, at: clock.now(), status: 0 };
    const result = await withAuditContext(context, () => work({ db, clock }, stops));
    await sealAudit(db);
    return result;
  });
}

/** The same time as the service's. */
async function openClock({ config, log }: Task, db: Database, stops: Stops): Promise<Clock> {
  const databaseClock = await startDatabaseClock({ db, log, machineClock: systemClock });
  stops.push(() => databaseClock.stop());
  if (config.mode === 'live') return databaseClock;
  const clock = sandboxClock(db, databaseClock);
  await clock.refresh();
  return clock;
}
