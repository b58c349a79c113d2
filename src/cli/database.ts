// Opens the database for a command: that of DATABASE_URL, or the embedded one, which keeps running if it already does. It must
// exist: only the service creates one, so that a command in the wrong folder does not answer from an empty database. The schema
// stays as it is: after migrations of a newer version, nodes of the previous one could not start again. Changes go to the audit log
// under the operator.

import { openLinks } from '../charges/links/links.ts';
import { type PaymentBatches, startPaymentBatches } from '../charges/receive/pay.ts';
import type { WriteDeps } from '../charges/write.ts';
import type { Config } from '../config/config.ts';
import { startQueue } from '../jobs/queue.ts';
import { withAuditContext, withoutAuditContext } from '../lib/audit-context.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../nouns.ts';
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
  /** The command, for the audit log. */
  readonly action: string;
};

/** Does `work` on charges, in a database on which a service has started before. */
export async function withCharges<T>(
  task: Task,
  work: (
    deps: CommandDeps & WriteDeps & { readonly paymentBatches: PaymentBatches; readonly disputeDays: number },
  ) => Promise<T>,
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
    const writing = { ...deps, queue, links, chargeFollowers: CHARGE_FOLLOWERS, disputeDays: task.config.disputeDays };
    return work({ ...writing, paymentBatches: startPaymentBatches(writing) });
  });
}

/**
 * Does `work` on accounts and keys. In live that may come before the first start, so a database with only a schema is claimed for
 * live here; a sandbox is filled by the first start of its service.
 */
export async function withDatabase<T>(task: Task, work: (deps: CommandDeps) => Promise<T>): Promise<T> {
  const { mode, masterKeys } = task.config;
  const sealsSecrets = masterKeys.length > 0;
  return runCommand(task, async deps => {
    const claim = () => deps.db.transaction(tx => claimInstallation(tx, { mode, at: deps.clock.now(), sealsSecrets }));
    // Without an audit context, as at the first start: the operator did not ask for it.
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

/** The same clock as the service's. */
async function openClock({ config, log }: Task, db: Database, stops: Stops): Promise<Clock> {
  const databaseClock = await startDatabaseClock({ db, log, machineClock: systemClock });
  stops.push(() => databaseClock.stop());
  if (config.mode === 'live') return databaseClock;
  const clock = sandboxClock(db, databaseClock);
  await clock.refresh();
  return clock;
}
