// Timelines of the write-ahead log: each restore of a database begins a new one. The names of segments and the history files of an archive
// show which segments a restore needs, and which are missing.

/** Where a timeline left its parent. */
type Switch = { readonly parent: number; readonly lsn: bigint };

/** The switches that led to each timeline but the first, oldest first, by its number. */
export type Histories = ReadonlyMap<number, readonly Switch[]>;

/** `initdb` makes segments of this size. */
const SEGMENT_BYTES = 16 * 1024 * 1024;
export const SEGMENT = /^[0-9A-F]{24}$/;
export const HISTORY = /^[0-9A-F]{8}\.history$/;
const SEGMENTS_PER_LOG = 2 ** 32 / SEGMENT_BYTES;

/** A segment by its place in the log; places continue through all timelines. */
export type Segment = { readonly timeline: number; readonly place: number };

export function parseSegment(name: string): Segment {
  const [timeline = 0, log = 0, part = 0] = [0, 8, 16].map(from => Number.parseInt(name.slice(from, from + 8), 16));
  return { timeline, place: log * SEGMENTS_PER_LOG + part };
}

export function segmentName({ timeline, place }: Segment): string {
  const numbers = [timeline, Math.floor(place / SEGMENTS_PER_LOG), place % SEGMENTS_PER_LOG];
  return numbers.map(number => number.toString(16).toUpperCase().padStart(8, '0')).join('');
}

/** As PostgreSQL writes a position: two hexadecimal numbers. */
export function parseLsn(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

export function placeOf(lsn: bigint): number {
  return Number(lsn / BigInt(SEGMENT_BYTES));
}

/** The position at which a segment begins. */
export function startOf({ place }: Segment): bigint {
  return BigInt(place) * BigInt(SEGMENT_BYTES);
}

/** Each line has a parent, a position and a reason; the last line is where this timeline begins. */
export function parseHistory(text: string): Switch[] {
  return [...text.matchAll(/^\s*(\d+)\s+([0-9A-F]+\/[0-9A-F]+)/gim)].map(([, parent, lsn = '']) => ({
    parent: Number(parent),
    lsn: parseLsn(lsn),
  }));
}

/** Whether the log of `timeline` passes this position of `parent`. */
export function descendsFrom(histories: Histories, timeline: number, parent: number, lsn: bigint): boolean {
  if (timeline === parent) return true;
  return (histories.get(timeline) ?? []).some(left => left.parent === parent && left.lsn >= lsn);
}

type Needed = { readonly last: Segment; readonly missing: string | undefined };

/** What recovery from `first` along `timeline` reads: the last existing segment, and the first missing one. */
export function followLog(
  names: ReadonlySet<string>,
  histories: Histories,
  timeline: number,
  first: Segment,
): Needed | undefined {
  const switches = (histories.get(timeline) ?? []).filter(({ lsn }) => placeOf(lsn) >= first.place);
  const line = [...switches.map(({ parent }) => parent), timeline];
  /** The newest timeline that has begun at this place wrote it. */
  const writerOf = (place: number) => line[switches.filter(({ lsn }) => placeOf(lsn) <= place).length]!;
  const isOnLine = ({ timeline: of, place }: Segment) => place >= first.place && writerOf(place) === of;
  const there = [...names].map(parseSegment).filter(segment => isOnLine(segment) || isLeft(segment));
  const last = there.reduce<Segment | undefined>(
    (best, one) => (best && best.place >= one.place ? best : one),
    undefined,
  );
  if (!last) return undefined;
  for (let place = first.place; place < last.place; place++) {
    const name = segmentName({ timeline: writerOf(place), place });
    if (!names.has(name)) return { last, missing: name };
  }
  return { last, missing: undefined };

  /** The segment of the switch as the parent wrote it: the new timeline may not have its own segment yet. */
  function isLeft({ timeline: of, place }: Segment): boolean {
    return switches.some(({ parent, lsn }) => parent === of && placeOf(lsn) === place);
  }
}
