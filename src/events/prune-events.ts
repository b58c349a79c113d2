// Moves old events to the archive, one block of the feed at a time. An event of an object that can still change, or with deliveries, is
// archived and also stays here until nothing needs it any more.
import type { Duration } from '../lib/date-times.ts';
import { BLOCK_SIZE, type Block, hashOfBlock } from '../storage/archive/block.ts';
import { requireBlockBefore } from '../storage/archive/check.ts';
import { moveCut, readCut } from '../storage/archive/cuts.ts';
import { writeBlock } from '../storage/archive/files.ts';
import { requireArchive } from '../storage/archive/owner.ts';
import type { Database, Sql } from '../storage/database.ts';
import { PRUNE_BATCH_SIZE, type Prune, type PruneStep, startOfDay } from '../storage/pruning.ts';
import { resumeSteps } from '../storage/resume-steps.ts';
import {
  deleteEvents,
  findOldestEventAt,
  isRangeOver,
  type OldEvent,
  readMovedEvents,
  readOldEvents,
} from './store-prune.ts';

type Deps = {
  readonly dir: string;
  /** Which of the objects can still change. */
  readonly findOpen: (sql: Sql, ids: readonly string[]) => Promise<ReadonlySet<string>>;
};

/** First removes events of earlier blocks that had to stay (`from`: the last position examined), then moves blocks. */
export function pruneEvents(deps: Deps, keep: Duration | 'forever'): Prune {
  return {
    kind: 'events',
    keep,
    step: resumeSteps((db, before, from = '0') =>
      // By whole days, like deliveries, since an event stays until its deliveries are removed.
      from === MOVE ? moveBlock(deps, db, startOfDay(before)) : removeMoved(deps, db, Number(from)),
    ),
    oldest: findOldestEventAt,
  };
}

const MOVE = 'move';

async function moveBlock(deps: Deps, db: Database, before: Date): Promise<PruneStep> {
  const cut = await readCut(db, 'events');
  const range = { after: cut.position, upTo: cut.position + BLOCK_SIZE };
  if (!(await isRangeOver(db, range, before))) return { removed: 0 };
  const events = await readOldEvents(db, range);
  // Positions follow the order of time closely.
  if (events.some(({ occurredAt }) => occurredAt >= before)) return { removed: 0 };
  const block = blockOf(events, cut.hash);
  await requireArchive(db, deps.dir);
  await requireBlockBefore(deps.dir, 'events', cut);
  await writeBlock(deps.dir, block);
  const hash = hashOfBlock(block);
  const removed = await db.transaction(async tx => {
    // Personal data may have been erased meanwhile, or is being erased: then the file is rewritten.
    const now = await readOldEvents(tx, range, true);
    if (now.length < BLOCK_SIZE || hashOfBlock(blockOf(now, cut.hash)) !== hash) return undefined;
    if (!(await moveCut(tx, 'events', cut, { position: range.upTo, hash }))) return undefined;
    return removeUnneeded(deps, tx, now);
  });
  return removed === undefined ? { removed: 0 } : { removed, next: MOVE };
}

function blockOf(events: readonly OldEvent[], previous: string): Block {
  const [first = 0, last = 0] = [events[0]?.position, events.at(-1)?.position];
  return { kind: 'events', first, last, previous, rows: events.map(({ json }) => json) };
}

async function removeMoved(deps: Deps, db: Database, after: number): Promise<PruneStep> {
  const { position: cut } = await readCut(db, 'events');
  const events = await readMovedEvents(db, after, cut, PRUNE_BATCH_SIZE);
  const removed = events.length === 0 ? 0 : await db.transaction(tx => removeUnneeded(deps, tx, events));
  return { removed, next: events.length < PRUNE_BATCH_SIZE ? MOVE : String(events.at(-1)!.position) };
}

type Placed = { readonly position: number; readonly objectId: string };

async function removeUnneeded({ findOpen }: Deps, tx: Sql, moved: readonly Placed[]): Promise<number> {
  const open = await findOpen(tx, [...new Set(moved.map(({ objectId }) => objectId))]);
  const over = moved.filter(({ objectId }) => !open.has(objectId));
  return deleteEvents(
    tx,
    over.map(({ position }) => position),
  );
}
