// Reading the feed by a cursor: a reader gets every event once, in an order that never changes.
import { invalidRequest } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { type Cursors, START } from './cursor.ts';
import {
  assignPositions,
  type FeedEvent,
  type FeedFilter,
  type FeedPosition,
  findHead,
  findLastOf,
  findPosition,
  findRemoved,
  readRange,
} from './store-feed.ts';

export type FeedDeps = { readonly db: Database; readonly cursors: Cursors };

type FeedPage = {
  readonly events: readonly FeedEvent[];
  /** Where to continue. */
  readonly end: FeedPosition;
  /** The end of the whole feed when the page was read. No caller sees it. */
  readonly head: bigint;
  readonly hasMore: boolean;
};

/** Instead of a cursor: only events after now. */
const END_OF_FEED = 'end';

/** Which events a reader asks for. */
type Scope = Pick<FeedFilter, 'accountId' | 'objectId'>;

/**
 * The position that a cursor names. Without a cursor it is that of the last archived event: after older events, kept because their objects
 * can still change, there is a gap. Refuses text that is not a cursor, a plain-text cursor, a cursor whose position belongs to another
 * event or to none yet because a backup was restored, and one older than an archived event, which the reader would miss. A reader of one
 * object misses nothing while the object can change, so it may continue.
 */
export async function requirePosition(
  { db, cursors }: FeedDeps,
  cursor: string | undefined,
  { accountId, objectId }: Scope,
): Promise<FeedPosition> {
  if (cursor === END_OF_FEED) {
    await assignPositions(db);
    return endOf(db, await findHead(db), accountId);
  }
  const removed = await findRemoved(db, accountId);
  const beginning = objectId === undefined ? (removed ?? START) : START;
  if (cursor === undefined) return beginning;
  const named = cursors.read(cursor);
  if (named === 'malformed') throw unknownCursor('format', 'must be a cursor of this feed');
  if (named === 'outdated') {
    throw unknownCursor('unknown_cursor', `is of an older version; begin without it, or with ${END_OF_FEED}`);
  }
  if (named.position < beginning.position) throw expiredCursor(`, or with ${cursors.textOf(beginning)}`);
  if (named === START) return START;
  const found = named.position === removed?.position ? removed : await findPosition(db, named.position);
  if (!found && removed && named.position < removed.position) throw expiredCursor();
  if (found?.mark !== named.mark)
    throw unknownCursor('unknown_cursor', 'is not a cursor of this feed; begin without it');
  return found;
}

/**
 * The events after a position. `end` is the position to continue from: the last event of the page or, when there are no more, the
 * end of what the reader may see, so that the next page does not filter the same events again.
 */
export async function readFeed(
  { db }: { db: Database },
  after: FeedPosition,
  { limit, maxBytes, ...filter }: FeedFilter & { readonly limit: number; readonly maxBytes?: number },
): Promise<FeedPage> {
  await assignPositions(db);
  // Read the end first: events that get a position meanwhile are after it, on the next page.
  const head = await findHead(db);
  const range = { after: after.position, upTo: head.position, limit, maxBytes };
  const { events, hasMore } = await readRange(db, range, filter);
  const end = hasMore ? events.at(-1)! : later(await endOf(db, head, filter.accountId), after);
  return { events, end, head: head.position, hasMore };
}

/** For a reader of one account, its last event: the end of the whole feed would reveal the events of others. */
async function endOf(db: Database, head: FeedPosition, accountId: string | undefined): Promise<FeedPosition> {
  if (accountId === undefined) return head;
  return (await findLastOf(db, accountId, head.position)) ?? START;
}

function later(a: FeedPosition, b: FeedPosition): FeedPosition {
  return a.position >= b.position ? a : b;
}

function expiredCursor(orWith = '') {
  return unknownCursor('expired_cursor', `is older than the events that are kept; begin without it${orWith}`);
}

function unknownCursor(code: string, message: string) {
  return invalidRequest([{ path: 'after', code, message }]);
}
