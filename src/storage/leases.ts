// Leases for work that one node does at a time. A lease uses the clock of the database, which all nodes share. It is short, and renewed
// during the work: after a crash another node gets it soon.
import { AppError } from '../lib/errors.ts';
import { requestUuid } from '../lib/ids.ts';
import type { Beat } from '../lib/loop.ts';
import type { Database } from './database.ts';

/** With the pause of a loop, the work of a dead node continues within half a minute. */
const LEASE_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/** The work is signalled to stop before another node may take the lease. */
const LOST_AFTER_MS = (LEASE_SECONDS - 2) * 1_000;

type Lease = {
  /** Makes the lease last `LEASE_SECONDS` from now; false when another node has it. A retry finds what the first try wrote. */
  take(): Promise<boolean>;
  release(): Promise<void>;
};

/**
 * Does a piece of work, or returns undefined when another node does it. `lost` is aborted when the lease is lost, for example because the
 * database does not answer: from then on the work must write nothing that another node may write.
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
 * Does a piece of work if it is due. This is checked first without a lease, since mostly it is not, and again with it, since another node may
 * have done it meanwhile. Returns undefined when it is not due or another node does it.
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

/** For work of many steps, called between two steps: sends a heartbeat, and throws when the lease is lost. */
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
  // Measured before the query: a late answer must not extend the lease.
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
    // A lease that cannot be released expires.
    if (isTaken) await lease.release().catch(() => {});
  }
}

function lostLease(): AppError {
  const message = 'Another node may be doing this work: the database did not answer in time.';
  return new AppError('database_timeout', message);
}
