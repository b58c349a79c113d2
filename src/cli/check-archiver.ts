// What the doctor finds about the archiving of the write-ahead log, and about the base backups beside it.
import path from 'node:path';
import { DAY_MS } from '../lib/civil-days.ts';
import { type ArchiverState, readArchiver } from '../storage/archiver-state.ts';
import type { Sql } from '../storage/database.ts';
import { readBases } from '../storage/embedded/wal-archive.ts';
import { type Finding, right, wrong } from './finding.ts';

/** A restore reads all of the log since the base, and a damaged segment of it ends the restore. */
const MAX_BASE_AGE_MS = 8 * DAY_MS;

/** Empty where nothing is archived. Base backups are those of the embedded database. */
export async function checkArchiver(sql: Sql, now: Date): Promise<Finding[]> {
  const state = await readArchiver(sql);
  if (!state) return [];
  const { lastArchivedAt, folder } = state;
  const last = lastArchivedAt ? `last archived ${lastArchivedAt.toISOString()}` : 'nothing archived yet';
  const message = `wal archive: ${last}${faultOf(state)}`;
  const archiving = state.isFailing ? wrong(message) : right(message);
  return folder === undefined ? [archiving] : [archiving, await checkBases(path.dirname(folder), now)];
}

function faultOf({ hasFailed, waitsSince }: ArchiverState): string {
  if (hasFailed) return ', and every attempt since has failed; the log of the server says why';
  return waitsSince ? `, and a segment waits since ${waitsSince.toISOString()}; the archive hangs, or is too slow` : '';
}

async function checkBases(archiveDir: string, now: Date): Promise<Finding> {
  const { bases, skipped } = await readBases(archiveDir).catch(() => ({ bases: [], skipped: [] }));
  const newest = bases.at(-1);
  const mend = 'run trilho backup --base';
  if (!newest) return wrong(`base backup: missing in ${archiveDir}; ${mend}`);
  const message = `base backup: the newest is of ${newest.endedAt}`;
  const [damaged] = skipped;
  if (damaged !== undefined) return wrong(`${message}, and ${damaged} is damaged; remove it`);
  const isOld = now.getTime() - new Date(newest.endedAt).getTime() > MAX_BASE_AGE_MS;
  return isOld ? wrong(`${message}; ${mend}`) : right(message);
}
