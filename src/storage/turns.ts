// Work that one node does at a time. A turn is short, and renewed while its work goes on: after a crash another node has it soon.
import type { Clock } from '../lib/clock.ts';
import { withBackgroundKind } from '../lib/work-kind.ts';

/** With the pause of a loop, what a node was at that has died goes on within half a minute. */
export const TURN_SECONDS = 20;
const RENEW_EVERY_MS = 5_000;
/** Before another node may have the turn, its work is told to stop. */
const LOST_AFTER_MS = (TURN_SECONDS - 2) * 1_000;

/** Makes the turn last `TURN_SECONDS` from now; false when another node has it. */
type Renew = () => Promise<boolean>;

/** When a turn ends that is taken now. */
export function turnEnd({ now }: Clock): Date {
  return new Date(now().getTime() + TURN_SECONDS * 1_000);
}

/** For a turn that is known by the moment of its end: `move` writes another one, unless it is no longer as it was. */
export function renewal(clock: Clock, end: Date, move: (from: Date, to: Date) => Promise<boolean>): Renew {
  let from = end;
  return async () => {
    const to = turnEnd(clock);
    const isMoved = await move(from, to);
    if (isMoved) from = to;
    return isMoved;
  };
}

/** Does work whose turn was just taken. The signal is aborted when the turn is lost, which a database that does not answer may cause. */
export async function keepTurn<T>(renew: Renew, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const lost = new AbortController();
  const lose = () => lost.abort(new Error('the turn to do this work was lost; another node may have it'));
  let limit = setTimeout(lose, LOST_AFTER_MS);
  let renewing: Promise<void> | undefined;

  async function renewOnce(): Promise<void> {
    const nextLimit = setTimeout(lose, LOST_AFTER_MS);
    // Apart from the work itself, which may use all connections that its kind has.
    const isRenewed = await withBackgroundKind('renewing turns', renew).catch(() => undefined);
    clearTimeout(isRenewed ? limit : nextLimit);
    if (isRenewed) limit = nextLimit;
    if (isRenewed === false) lose();
    renewing = undefined;
  }

  const timer = setInterval(() => {
    renewing ??= renewOnce();
  }, RENEW_EVERY_MS);
  try {
    return await work(lost.signal);
  } finally {
    clearInterval(timer);
    await renewing;
    clearTimeout(limit);
  }
}
