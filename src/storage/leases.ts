// Work that one node does at a time. A lease goes by the clock of the database, which all nodes share. It is short, and renewed while its
// work goes on: after a crash another node has it soon.
import { AppError } from '../lib/errors.ts';
import { requestUuid } from '../lib/ids.ts';
import type { Beat } from '../lib/loop.ts';
import type { Database } from './database.ts';

/** With the pause of a loop, what a node was at that has died goes on within half a minute. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/** The work is signalled to stop before another node may take the lease. */
const LOST_AFTER_MS = (LEASE_SECONDS - 2) * 1_000;

export type Lease = {
  /** Makes the lease last `LEASE_SECONDS` from now; false when another node has it. A second call finds what the first has written. */
  take(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Does a piece of work unless another node does it: then the answer is undefined. `lost` is aborted when the lease is lost, which a database that
 * does not answer may cause: from then on the work writes nothing that another node may write.
 */
export function withLease<T>(
  db: Database,
  work: string,
  task: (lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const holder = requestUuid();
  return keepLease({ take: () => takeLease(db, work, holder), release: () => releaseLease(db, work, holder) }, task);
}

/**
 * Does a piece of work that is due. That is looked up first without a lease, since mostly it is not, and again with it: another node may
 * have done it meanwhile. The answer is undefined when it is not due, and when another node does it.
 */
export async function whenDue<Due, T>(
  db: Database,
  work: string,
  findDue: () => Promise<Due | false | undefined>,
  task: (due: Due, lost: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  if (!(await findDue())) return undefined;
  return withLease(db, work, async lost => {
    const due = await findDue();
    return due ? task(due, lost) : undefined;
  });
}

/** For work of many steps, to be called between two of them: shows that it goes on, and throws when the lease is lost. */
export function betweenSteps(lost: AbortSignal, beat: Beat | undefined): () => void {
  return () => {
    lost.throwIfAborted();
    beat?.();
  };
}

async function takeLease(db: Database, work: string, holder: string): Promise<boolean> {
  const rows = await db.query(
    `insert into leases (work, holder, held_until) values ($1, $2, now() + ${LEASE_SECONDS} * interval '1 second')
     on conflict (work) do update set holder = excluded.holder, held_until = excluded.held_until
      where leases.holder = excluded.holder or leases.held_until < now()
     returning work`,
    [work, holder],
  );
  return rows.length > 0;
}

async function releaseLease(db: Database, work: string, holder: string): Promise<void> {
  await db.query('delete from leases where work = $1 and holder = $2', [work, holder]);
}

export async function keepLease<T>(lease: Lease, task: (lost: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const lost = new AbortController();
  const lose = () => lost.abort(lostLease());
  // From before the database is asked: an answer that comes late makes the lease no longer.
  let limit = setTimeout(lose, LOST_AFTER_MS);
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const nextLimit = setTimeout(lose, LOST_AFTER_MS);
    const isRenewed = await lease.take().catch(() => undefined);
    clearTimeout(isRenewed ? limit : nextLimit);
    if (isRenewed) limit = nextLimit;
    if (isRenewed === false) lose();
    renewing = undefined;
  }

  let timer: NodeJS.Timeout | undefined;
  let isTaken = false;
  try {
    const askedMs = performance.now();
    isTaken = await lease.take();
    if (!isTaken) return undefined;
    lost.signal.throwIfAborted();
    if (performance.now() - askedMs > RENEW_EVERY_MS) renewing = renew();
    timer = setInterval(() => {
      renewing ??= renew();
    }, RENEW_EVERY_MS);
    return await task(lost.signal);
  } finally {
    clearInterval(timer);
    await renewing;
    clearTimeout(limit);
    // One that cannot be released ends by itself.
    if (isTaken) await lease.release().catch(() => {});
  }
}

function lostLease(): AppError {
  const message = 'Another node may do this work by now: the database did not answer in time.';
  return new AppError('database_timeout', message);
}
