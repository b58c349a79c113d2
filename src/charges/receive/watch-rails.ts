// Polls banks that list their payments, once a minute or as rarely as the bank wants, with overlap. It finds every payment that a
// notification would report, so a lost notification only delays the payment.
import { backOff } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import { isOutage, isOutageOfOthers } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { type Beat, startLoop } from '../../lib/loop.ts';
import type { Receipt, ReceiptPage, ReceiptsByTime } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import { type WatchedRail, watchedRails } from '../../rails/watched-rails.ts';
import { betweenSteps, whenDue } from '../../storage/leases.ts';
import { hasNewReturn } from '../refund/returns.ts';
import { comparable, findKnownReturns, findRecorded } from '../store/money.ts';
import { endLook, findDueLook, markSilent } from '../store/rails.ts';
import { keepUnmatched, type ReceiptDeps, takeReceipt } from './receipts.ts';
import { keepUnreadable, readAgain } from './unreadable.ts';

export type WatchDeps = ReceiptDeps & {
  readonly rails: Rails;
  readonly clock: Clock;
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
};

/** How long a node that waits for a page counts as ready: a page of Sicoob is read from up to hundreds of files. */
export const LONGEST_PAGE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 60_000;
/** A bank may list a payment some time after the date it gives it. */
const OVERLAP_MS = 15 * 60_000;
const PAUSE_MS = 5_000;
const PAGE_TRIES = 5;
const PAGE_RETRY_MS = 250;
const PAGE_RETRY_CAP_MS = 2_000;

export function startWatchingRails(deps: WatchDeps): { stop(): Promise<void> } {
  const loops = watchedRails(deps.rails).map(watched =>
    startLoop({
      name: `asking ${watched.rail.name} for payments`,
      task: async (_signal, beat) => {
        await lookWhenDue(deps, watched, beat);
      },
      pauseMs: PAUSE_MS,
      longestRunMs: LONGEST_PAGE_MS,
      heartbeats: deps.heartbeats,
      log: deps.log,
    }),
  );
  return {
    stop: async () => {
      await Promise.all(loops.map(loop => loop.stop()));
    },
  };
}

/** Polls every rail that is due, and returns how many were. */
export async function lookAtRails(deps: WatchDeps): Promise<number> {
  const looks = await Promise.all(watchedRails(deps.rails).map(watched => lookWhenDue(deps, watched)));
  return looks.filter(Boolean).length;
}

async function lookWhenDue(deps: WatchDeps, watched: WatchedRail, beat?: Beat): Promise<boolean> {
  const { db, clock } = deps;
  const { rail } = watched;
  const hasLooked = await whenDue(
    db,
    `look ${rail.method} ${rail.name}`,
    () => findDueLook(db, rail, clock.now()),
    async ({ seenUntil }, lost) => {
      await look(deps, watched, seenUntil, lost, beat);
      return true;
    },
  );
  return hasLooked ?? false;
}

async function look(
  deps: WatchDeps,
  watched: WatchedRail,
  seenUntil: Date,
  lost: AbortSignal,
  beat: Beat | undefined,
): Promise<void> {
  const { rail, watch } = watched;
  const now = deps.clock.now();
  const nextAt = new Date(now.getTime() + (watch.everyMs ?? LOOK_EVERY_MS));
  try {
    const times = { from: new Date(seenUntil.getTime() - OVERLAP_MS), to: now };
    await takeReceipts(deps, watched, times, betweenSteps(lost, beat));
    await readAgain(deps, watched, receipt => takeOrKeep(deps, watched, receipt));
    await endLook(deps.db, rail, now, nextAt);
  } catch (error) {
    lost.throwIfAborted();
    await markSilent(deps.db, rail, now, nextAt);
    if (!isOutageOfOthers(error)) throw error;
    deps.log.info('the bank did not list its payments; it is asked again', { rail: rail.name, error });
  }
}

type Times = {
  readonly from: Date;
  readonly to: Date;
  /** Before this time only receipts that name a charge are taken: others may be older than the rail. */
  readonly keepFrom?: Date;
};

/**
 * Takes all receipts between two times, and returns how many there were. One that fails does not stop the others. `afterStep` is called
 * after each page, and throws to stop.
 */
export async function takeReceipts(
  deps: ReceiptDeps & Pick<WatchDeps, 'log'>,
  watched: WatchedRail,
  times: Times,
  afterStep: () => void,
): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  const outages: unknown[] = [];
  do {
    const page = await readPage(watched.watch, times, cursor, afterStep);
    count += page.receipts.length;
    const unknown = await withoutKnown(
      deps,
      page.receipts.filter(receipt => isWanted(receipt, times)),
    );
    const taken = await Promise.allSettled(unknown.map(receipt => takeOrKeep(deps, watched, receipt)));
    await keepUnreadable(deps, watched, page.unreadableReceipts ?? []);
    outages.push(...taken.flatMap(result => (result.status === 'rejected' ? result.reason : [])));
    cursor = page.next;
    afterStep();
  } while (cursor !== undefined);
  if (outages.length > 0) throw outages[0];
  return count;
}

/** A receipt that fails would fail at every poll: it is kept for a person, so that polling continues after it. */
async function takeOrKeep(
  deps: ReceiptDeps & Pick<WatchDeps, 'log'>,
  watched: WatchedRail,
  receipt: Receipt,
): Promise<void> {
  try {
    await takeReceipt(deps, watched, receipt);
  } catch (error) {
    if (isOutage(error)) throw error;
    const fields = { rail: watched.rail.name, paymentReference: receipt.reference, error };
    deps.log.error('a payment could not be recorded; it is kept with the unmatched ones and retried', fields);
    await keepUnmatched(deps, receipt, 'It could not be recorded: the log says why.');
  }
}

function isWanted({ paidAt, requestReference, returns }: Receipt, { keepFrom }: Times): boolean {
  return keepFrom === undefined || paidAt >= keepFrom || requestReference !== undefined || returns.length > 0;
}

/**
 * The first page shows whether the bank answers at all. A later one is retried: a busy day has many pages, and a poll that started over
 * after each failure would hardly ever reach the last.
 */
async function readPage(
  watch: ReceiptsByTime,
  { from, to }: Times,
  cursor: string | undefined,
  afterStep: () => void,
): Promise<ReceiptPage> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await watch.receipts(from, to, cursor);
    } catch (error) {
      if (cursor === undefined || attempt === PAGE_TRIES || !isOutageOfOthers(error)) throw error;
      afterStep();
      await backOff(attempt, PAGE_RETRY_MS, PAGE_RETRY_CAP_MS);
    }
  }
}

/** A recorded payment is nothing new, unless it has returns that are not recorded. */
async function withoutKnown({ db }: ReceiptDeps, receipts: readonly Receipt[]): Promise<Receipt[]> {
  if (receipts.length === 0) return [];
  const returned = receipts.filter(({ returns }) => returns.length > 0);
  const [recorded, returns] = await Promise.all([
    findRecorded(
      db,
      receipts.map(({ reference }) => reference),
    ),
    findKnownReturns(
      db,
      returned.map(({ reference }) => reference),
    ),
  ]);
  return receipts.filter(receipt => {
    const key = comparable(receipt.reference);
    return !recorded.has(key) || hasNewReturn(receipt.returns, returns.get(key) ?? []);
  });
}
