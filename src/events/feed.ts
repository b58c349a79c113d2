// Reading the feed by a cursor: a reader gets every event once, in an order that never changes.
import { invalidRequest } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import {
  assignPositions,
  type FeedEvent,
  type FeedFilter,
  type FeedPosition,
  findHead,
  findPosition,
  readAfter,
} from './store-feed.ts';

export type FeedPage = { readonly events: readonly FeedEvent[]; readonly end: FeedPosition; readonly hasMore: boolean };

const START: FeedPosition = { position: 0n, mark: '' };
const CURSOR = /^(0|[1-9]\d{0,17})(?:-([0-9a-f]{12}))?$/;
/** Instead of a cursor: only events after now. */
export const END_OF_FEED = 'end';

export function cursorOf({ position, mark }: FeedPosition): string {
  return position === 0n ? '0' : `${position}-${mark}`;
}

/**
 * The position that a cursor names; the beginning of the feed without one. Refuses text that is no cursor, and a cursor whose
 * position belongs to another event, or to none yet, because a backup was restored.
 */
export async function requirePosition({ db }: { db: Database }, cursor: string | undefined): Promise<FeedPosition> {
  if (cursor === undefined || cursor === '0') return START;
  if (cursor === END_OF_FEED) {
    await assignPositions(db);
    return findHead(db);
  }
  const [, digits, mark] = CURSOR.exec(cursor) ?? [];
  if (digits === undefined || mark === undefined) throw unknownCursor('format', 'must be a cursor of this feed');
  const found = await findPosition(db, BigInt(digits));
  if (found?.mark !== mark) throw unknownCursor('unknown_cursor', 'is not of this feed; begin without it');
  return found;
}

/**
 * The events after a position. `end` is the position to continue from: the last event of the page or, when there are no more, the
 * end of the feed, so that the next page does not filter the same events again.
 */
export async function readFeed(
  { db }: { db: Database },
  after: FeedPosition,
  { limit, ...filter }: FeedFilter & { readonly limit: number },
): Promise<FeedPage> {
  await assignPositions(db);
  // The end is read first: events that get a position meanwhile lie beyond it, on the next page.
  const head = await findHead(db);
  const found = await readAfter(db, { after: after.position, upTo: head.position, limit: limit + 1 }, filter);
  const events = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { events, end: hasMore ? events.at(-1)! : later(head, after), hasMore };
}

function later(a: FeedPosition, b: FeedPosition): FeedPosition {
  return a.position >= b.position ? a : b;
}

function unknownCursor(code: string, message: string) {
  return invalidRequest([{ path: 'after', code, message }]);
}
