// From events to deliveries: follows the feed, and works off what somebody wants to hear again, in bites.
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import {
  findMatches,
  findReplayMatches,
  insertAgain,
  insertDeliveries,
  lockReplay,
  lockStretch,
  type Match,
  moveReader,
  moveReplay,
  readBacklog,
} from './store-fan-out.ts';
import { placeEvents } from './store-feed.ts';

export type FanOutDeps = { readonly db: Database; readonly clock: Clock };

/** Events looked at in one transaction; each may be for every webhook. */
const STRETCH = 100;
const REPLAY_BITE = 1_000;
const MAX_ROUNDS = 1_000_000;

/**
 * Places all committed events and writes their deliveries, until nothing is new. What is to be heard again goes on by a bite
 * each time, so that nobody waits for somebody's long past.
 */
export async function fanOut(deps: FanOutDeps): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { hasNew, hasOld } = await readBacklog(deps.db);
    if (!hasNew && !hasOld) return;
    await deps.clock.refresh();
    if (hasOld && round === 0) await deps.db.transaction(tx => goOnReplaying(tx, deps.clock.now()));
    if (!hasNew) return;
    await placeEvents(deps.db);
    await deps.db.transaction(tx => followFeed(tx, deps.clock.now()));
  }
  throw new Error('events make events');
}

async function followFeed(tx: Sql, now: Date): Promise<void> {
  const stretch = await lockStretch(tx, STRETCH);
  if (stretch.upTo === stretch.after) return;
  const matches = await findMatches(tx, stretch);
  if (matches.length > 0) await insertDeliveries(tx, idsFor(matches, now), matches, now);
  await moveReader(tx, stretch.upTo);
}

async function goOnReplaying(tx: Sql, now: Date): Promise<void> {
  const replay = await lockReplay(tx);
  if (!replay) return;
  const matches = await findReplayMatches(tx, replay.id, REPLAY_BITE);
  if (matches.length > 0) await insertAgain(tx, idsFor(matches, now), matches, now);
  await moveReplay(tx, replay.id, matches.length < REPLAY_BITE ? undefined : matches.at(-1)!.position);
}

function idsFor(matches: readonly Match[], now: Date): string[] {
  return matches.map(() => uuidV7(now));
}
