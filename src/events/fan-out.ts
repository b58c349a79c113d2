// Turns events into deliveries: follows the feed by its cursor, and processes requested replays in batches.
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Database, Sql } from '../storage/database.ts';
import {
  findMatches,
  findReplayMatches,
  insertAgain,
  insertDeliveries,
  lockNextRange,
  lockReplay,
  type Match,
  moveReader,
  moveReplay,
  readBacklog,
} from './store-fan-out.ts';
import { assignPositions, findHead } from './store-feed.ts';

type FanOutDeps = { readonly db: Database; readonly clock: Clock };

/** Events fanned out in one transaction; each may go to every webhook. */
const RANGE_LENGTH = 500;
const REPLAY_BATCH_SIZE = 1_000;

/**
 * Gives committed events their positions and writes their deliveries. Events committed meanwhile wait for the next call: under load there
 * are always more, and deliveries would never start. Each call writes one batch of one replay, so that a long replay does not delay new
 * events.
 */
export async function fanOut({ db, clock }: FanOutDeps): Promise<void> {
  const { hasNew, hasOld } = await readBacklog(db);
  if (!hasNew && !hasOld) return;
  if (hasOld) await db.transaction(tx => writeReplayBatch(tx, clock.now()));
  if (!hasNew) return;
  await assignPositions(db);
  const { position: head } = await findHead(db);
  while ((await db.transaction(tx => followFeed(tx, clock.now()))) < head);
}

/** Fans out the next range of the feed, and returns its last position. */
async function followFeed(tx: Sql, now: Date): Promise<bigint> {
  const range = await lockNextRange(tx, RANGE_LENGTH);
  if (range.upTo === range.after) return range.upTo;
  const matches = await findMatches(tx, range);
  if (matches.length > 0) await insertDeliveries(tx, idsFor(matches, now), matches, now);
  await moveReader(tx, range.upTo);
  return range.upTo;
}

async function writeReplayBatch(tx: Sql, now: Date): Promise<void> {
  const replay = await lockReplay(tx);
  if (!replay) return;
  const matches = await findReplayMatches(tx, replay, REPLAY_BATCH_SIZE);
  if (matches.length > 0) await insertAgain(tx, idsFor(matches, now), matches, now);
  await moveReplay(tx, replay.id, matches.length < REPLAY_BATCH_SIZE ? undefined : matches.at(-1)!.position);
}

function idsFor(matches: readonly Match[], now: Date): string[] {
  return matches.map(() => uuidV7(now));
}
