// Notifications of banks: each is stored as received, then the job `charge.notified` asks the bank for the payments that it names.
// Nothing counts that the bank does not confirm.
import { defineJob, type JobOutcome, type PayloadOf } from '../../jobs/job.ts';
import type { Queue } from '../../jobs/queue.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOutageOfOthers } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { type ObjectTrace, runForObject, traceOf } from '../../lib/tracing.ts';
import type { Rails } from '../../rails/rails.ts';
import { findWatchedRail, type WatchedRail } from '../../rails/watched-rails.ts';
import { type Batcher, batcher } from '../../storage/batching/batcher.ts';
import type { Database } from '../../storage/database.ts';
import { insertTraces } from '../../storage/object-traces.ts';
import { ISSUE } from '../issue/issue-job.ts';
import { findCharges } from '../store/charges.ts';
import { findChargeByReference } from '../store/money.ts';
import { findNotifications, insertNotifications, markHandled, type Notification } from '../store/rails.ts';
import { type ReceiptDeps, takeReceipt } from './receipts.ts';

export const NOTIFIED = defineJob<{ readonly ids: readonly string[] }>('charge.notified');

/** A notification and the trace of the request that brought it. */
type ReceivedNotification = { readonly notification: Notification; readonly trace: ObjectTrace | undefined };

export type NotificationBatches = Batcher<ReceivedNotification, void>;

type StoreDeps = { readonly db: Database; readonly queue: Queue };

const LIMITS = { maxSize: 100, maxRunning: 2, maxWaiting: 5_000 } as const;

export function startNotificationBatches({ db, queue }: StoreDeps): NotificationBatches {
  return batcher(async received => {
    const notifications = received.map(({ notification }) => notification);
    await db.transaction(async tx => {
      await insertNotifications(tx, notifications);
      await insertTraces(
        tx,
        received.map(({ trace }) => trace),
      );
      await queue.enqueue(tx, NOTIFIED, [{ ids: notifications.map(({ id }) => id) }]);
    });
    return received.map(() => undefined);
  }, LIMITS);
}

/** Stores a notification. Once this returns, it cannot be lost. */
export async function storeNotification(
  deps: { readonly notificationBatches: NotificationBatches; readonly clock: Clock },
  rail: string,
  body: string,
): Promise<void> {
  const now = deps.clock.now();
  const id = uuidV7(now);
  const notification = { id, rail, body, receivedAt: now };
  await deps.notificationBatches.add({ notification, trace: traceOf(id, now) });
}

type Deps = ReceiptDeps & StoreDeps & { readonly rails: Rails; readonly log: Log };

/** A payment that the bank still does not know by then was never made, or is found when the rail is polled. */
const GIVE_UP_AFTER_MS = 60 * 60_000;

/** Asks the banks about every payment that the notifications name. Those that fail or get no answer get their own job. */
export async function handleNotifications(deps: Deps, { ids }: PayloadOf<typeof NOTIFIED>): Promise<JobOutcome> {
  const notifications = await findNotifications(deps.db, ids);
  const results = await Promise.all(
    notifications.map(async notification => {
      const { id } = notification;
      const handling = runForObject(id, () => handle(deps, notification));
      // A failure does not stop the others; it is reported by the job that retries that notification alone.
      return { id, isDone: await (ids.length === 1 ? handling : handling.catch(() => false)) };
    }),
  );
  const open = results.filter(({ isDone }) => !isDone).map(({ id }) => id);
  const done = results.filter(({ isDone }) => isDone).map(({ id }) => id);
  if (ids.length === 1 && open.length === 1) return 'postponed';
  await deps.db.transaction(async tx => {
    await markHandled(tx, done, deps.clock.now());
    await deps.queue.enqueue(
      tx,
      NOTIFIED,
      open.map(id => ({ ids: [id] })),
    );
  });
  return 'done';
}

async function handle(deps: Deps, { id, rail: railName, body, receivedAt }: Notification): Promise<boolean> {
  const isLate = deps.clock.now().getTime() - receivedAt.getTime() >= GIVE_UP_AFTER_MS;
  const watched = findWatchedRail(deps.rails, railName);
  if (!watched) {
    // Another node may have the rail; once it is configured again, polling finds the payment.
    if (isLate)
      deps.log.warn('a notification is for a rail that is not configured', { rail: railName, notificationId: id });
    return isLate;
  }
  const { watch } = watched;
  try {
    const found = await Promise.all(
      watch.hints(parsed(body)).map(async reference => {
        const receipt = await watch.receipt(reference);
        if (receipt) await takeReceipt(deps, watched, receipt);
        return receipt !== undefined;
      }),
    );
    await askForDecisions(deps, watched, watch.decided?.(parsed(body)) ?? []);
    for (const { notified } of deps.chargeFollowers) await notified?.(deps, watched.rail, parsed(body));
    if (found.every(Boolean)) return true;
    if (!isLate) return false;
    deps.log.warn('a notification named a payment that the bank does not know', { rail: railName, notificationId: id });
    return true;
  } catch (error) {
    if (!isOutageOfOthers(error)) throw error;
    deps.log.info('the bank did not answer about a payment that it notified; it is asked again', {
      rail: railName,
      notificationId: id,
      error,
    });
    return false;
  }
}

/** The bank may have decided on requests that it accepted earlier: their jobs ask it. */
async function askForDecisions(deps: Deps, { rail, names }: WatchedRail, references: readonly string[]): Promise<void> {
  const known = await Promise.all(
    references.map(reference => findChargeByReference(deps.db, names, rail.method, reference)),
  );
  const charges = await findCharges(
    deps.db,
    known.flatMap(one => one?.chargeId ?? []),
  );
  const jobs = charges
    .filter(({ methods }) => methods.some(({ method, status }) => method === rail.method && status === 'CREATING'))
    .map(({ id: chargeId, accountId }) => ({ charges: [{ accountId, chargeId }] }));
  await deps.db.transaction(tx => deps.queue.enqueue(tx, ISSUE, jobs));
}

/** Anybody may have sent it, with any content. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
