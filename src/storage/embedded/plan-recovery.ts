// Plans a restore: which base backup it begins with, which timeline it follows, and whether the archive has all of the log in between.
import { StartError } from '../../lib/errors.ts';
import { readOwner } from './archive-owner.ts';
import {
  descendsFrom,
  followLog,
  parseLsn,
  parseSegment,
  placeOf,
  type Segment,
  segmentName,
  startOf,
} from './timelines.ts';
import { type ArchivedLog, type KeptBase, readBases, readLog } from './wal-archive.ts';

export type Course = {
  readonly base: KeptBase;
  /** Base backups that are damaged. */
  readonly skipped: readonly string[];
  readonly timeline: number;
  /** The last segment of this timeline in the archive. */
  readonly last: Segment;
  /** A missing segment before it. */
  readonly missing: string | undefined;
};

/**
 * For a moment: the log of the newest base before it. For all of the log: that of the database to which the archive belongs, also past
 * earlier restores; a gap is refused, since recovery would take it as the end.
 */
export async function planRecovery(archiveDir: string, until: Date | undefined): Promise<Course> {
  const [{ bases, skipped }, log] = [await readBases(archiveDir), await readLog(archiveDir)];
  const [first, newest] = [bases[0], bases.at(-1)];
  if (!first || !newest) {
    const damaged = skipped.map(folder => ` ${folder} is damaged.`).join('');
    throw new StartError(`The archive has no base backup: make one with trilho backup --base.${damaged}`);
  }
  const chosen = until ? baseBefore(bases, until) : onLine(bases, log, await currentTimeline(archiveDir, log, newest));
  if (!chosen) throw new StartError(`The archive begins with ${first.endedAt}; --until must be later.`);
  const { base, timeline } = chosen;
  const needed = followLog(log.segments, log.histories, timeline, parseSegment(base.firstSegment));
  const missing = needed ? needed.missing : base.firstSegment;
  if (!needed || (missing !== undefined && !until)) throw lacksSegment(missing ?? base.firstSegment);
  return { base, skipped, timeline, last: needed.last, missing };
}

type Chosen = { readonly base: KeptBase; readonly timeline: number };

function baseBefore(bases: readonly KeptBase[], until: Date): Chosen | undefined {
  const base = bases.findLast(({ endedAt }) => new Date(endedAt) <= until);
  return base && { base, timeline: timelineOf(base) };
}

/** An archive of an older Trilho names no database: then it is the newest timeline that the newest base leads to. */
async function currentTimeline(archiveDir: string, { histories }: ArchivedLog, newest: KeptBase): Promise<number> {
  const owner = await readOwner(archiveDir);
  if (owner) return owner.timeline;
  const later = [...histories.keys()].filter(timeline => leadsTo(newest, timeline, histories));
  return Math.max(timelineOf(newest), ...later);
}

function onLine(bases: readonly KeptBase[], { histories }: ArchivedLog, timeline: number): Chosen {
  const base = bases.findLast(one => leadsTo(one, timeline, histories));
  if (base) return { base, timeline };
  throw new StartError(
    'The archive has no base backup of the database that it belongs to: choose a moment with --until, or make one with trilho backup --base.',
  );
}

function leadsTo(base: KeptBase, timeline: number, histories: ArchivedLog['histories']): boolean {
  const { firstSegment, stopLsn } = base;
  // An older base does not record where it ended.
  const lsn = stopLsn === undefined ? startOf(parseSegment(firstSegment)) : parseLsn(stopLsn);
  return descendsFrom(histories, timeline, timelineOf(base), lsn);
}

function timelineOf({ firstSegment }: KeptBase): number {
  return parseSegment(firstSegment).timeline;
}

/** Recovery also takes a damaged segment as the end of the log. */
export function requireWholeLog({ last, timeline }: Course, endLsn: bigint): void {
  const place = placeOf(endLsn);
  if (place >= last.place) return;
  throw new StartError(
    `The log breaks off in segment ${segmentName({ timeline, place })}, which is damaged; the archive continues to ${segmentName(last)}. Choose an earlier moment with --until.`,
  );
}

export function lacksSegment(name: string): StartError {
  return new StartError(
    `The archive lacks segment ${name} of the log, and nothing after it can be restored: choose an earlier moment with --until.`,
  );
}
