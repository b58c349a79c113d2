// Work that one node does at a time. A turn goes by the clock of the database, which all nodes share. It is short, and renewed while its
// work goes on: after a crash another node has it soon.
import { AppError } from '../lib/errors.ts';
import { requestUuid } from '../lib/ids.ts';
import type { Beat } from '../lib/loop.ts';
import { withBackgroundKind } from '../lib/work-kind.ts';
import type { Database } from './database.ts';

/** With the pause of a loop, what a node was at that has died goes on within half a minute. */
const TURN_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/** Before another node may have the turn, its work is told to stop. */
const LOST_AFTER_MS = (TURN_SECONDS - 2) * 1_000;

export type Turn = {
  /** Makes the turn last `TURN_SECONDS` from now; false when another node has it. A second call finds what the first has written. */
  take(): Promise<boolean>;
  end(): Promise<void>;
};

/**
 * Does a piece of work unless another node does it: then the answer is undefined. `lost` is aborted when the turn is lost, which a database that
 * does not answer may cause: from then on the work writes nothing that another node may write.
 */
export function inTurn<T>(db: Database, work: string, task: (lost: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const holder = requestUuid();
  return keepTurn({ take: () => takeTurn(db, work, holder), end: () => endTurn(db, work, holder) }, task);
}

/** For work of many steps, to be called between two of them: shows that it goes on, and throws when the turn is lost. */
export function betweenSteps(lost: AbortSignal, beat: Beat | undefined): () => void {
  return () => {
    lost.throwIfAborted();
    beat?.();
  };
}

async function takeTurn(db: Database, work: string, holder: string): Promise<boolean> {
  const rows = await db.query(
    `insert into turns (work, holder, held_until) values ($1, $2, now() + ${TURN_SECONDS} * interval '1 second')
     on conflict (work) do update set holder = excluded.holder, held_until = excluded.held_until
      where turns.holder = excluded.holder or turns.held_until < now()
     returning work`,
    [work, holder],
  );
  return rows.length > 0;
}

async function endTurn(db: Database, work: string, holder: string): Promise<void> {
  await db.query('delete from turns where work = $1 and holder = $2', [work, holder]);
}

export async function keepTurn<T>(turn: Turn, task: (lost: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const lost = new AbortController();
  const lose = () => lost.abort(lostTurn());
  // From before the database is asked: an answer that comes late makes the turn no longer.
  let limit = setTimeout(lose, LOST_AFTER_MS);
  let renewing: Promise<void> | undefined;

  async function renew(): Promise<void> {
    const nextLimit = setTimeout(lose, LOST_AFTER_MS);
    // Apart from the work itself, which may use all connections that its kind has.
    const isRenewed = await withBackgroundKind('renewing turns', turn.take).catch(() => undefined);
    clearTimeout(isRenewed ? limit : nextLimit);
    if (isRenewed) limit = nextLimit;
    if (isRenewed === false) lose();
    renewing = undefined;
  }

  let timer: NodeJS.Timeout | undefined;
  let isTaken = false;
  try {
    const askedMs = performance.now();
    isTaken = await turn.take();
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
    // A turn that cannot be ended ends by itself.
    if (isTaken) await turn.end().catch(() => {});
  }
}

function lostTurn(): AppError {
  const message =
    'The turn to do this work was lost, because the database did not answer in time; another node may have it.';
  return new AppError('database_timeout', message);
}
