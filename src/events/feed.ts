// Reading the feed by a cursor: whoever follows it meets every event once, in an order that never changes.
import { invalidRequest } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import {
  type FeedFilter,
  findHead,
  findPlace,
  type Place,
  type PlacedEvent,
  placeEvents,
  readAfter,
} from './store-feed.ts';

export type FeedPage = { readonly events: readonly PlacedEvent[]; readonly end: Place; readonly hasMore: boolean };

const START: Place = { position: 0n, mark: '' };
const CURSOR = /^(0|[1-9]\d{0,17})(?:-([0-9a-f]{12}))?$/;
/** In place of a cursor: nothing that was before. */
export const END_OF_FEED = 'end';

export function cursorOf({ position, mark }: Place): string {
  return position === 0n ? '0' : `${position}-${mark}`;
}

/**
 * The place a cursor names; the beginning when there is none. Refuses what is no cursor, and one of another history: after a
 * backup was restored its position may belong to another event, or to none yet.
 */
export async function requirePlace({ db }: { db: Database }, cursor: string | undefined): Promise<Place> {
  if (cursor === undefined || cursor === '0') return START;
  if (cursor === END_OF_FEED) {
    await placeEvents(db);
    return findHead(db);
  }
  const [, digits, mark] = CURSOR.exec(cursor) ?? [];
  if (digits === undefined || mark === undefined) throw unknownCursor('format', 'must be a cursor of this feed');
  const place = await findPlace(db, BigInt(digits));
  if (place?.mark !== mark) throw unknownCursor('unknown_cursor', 'is not of this feed; begin without it');
  return place;
}

/**
 * What comes after a place. `end` is where to go on: the last event of the page or, when there are no more, the end of the
 * feed, so that a filter need not pass over the same events again.
 */
export async function readFeed(
  { db }: { db: Database },
  after: Place,
  { limit, ...filter }: FeedFilter & { readonly limit: number },
): Promise<FeedPage> {
  await placeEvents(db);
  // The end is read first: what is placed meanwhile lies beyond it, and belongs to the next page.
  const head = await findHead(db);
  const found = await readAfter(db, { after: after.position, upTo: head.position, limit: limit + 1 }, filter);
  const events = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { events, end: hasMore ? events.at(-1)! : later(head, after), hasMore };
}

function later(a: Place, b: Place): Place {
  return a.position >= b.position ? a : b;
}

function unknownCursor(code: string, message: string) {
  return invalidRequest([{ path: 'after', code, message }]);
}
