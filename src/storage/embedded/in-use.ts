// Marks the folder of an embedded database as in use. Processes that see each other share one server, by the lock file of PostgreSQL. A
// container or a machine that does not see them would take that lock for a stale one, start a second server on the same files and destroy them:
// the mark refuses it.
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AwayError } from '../../lib/errors.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import { isServerOf, runningPid, signal } from './server-process.ts';

export type InUse = {
  /** Whether another container or machine has taken the folder since. */
  isLost(): boolean;
  /** The mark goes when no server runs any more. */
  end(): Promise<void>;
};

type Deps = {
  readonly log: Log;
  readonly heartbeats?: Heartbeats | undefined;
};

const TOUCH_EVERY_MS = 1_000;
/** A mark that is not touched for this long was left by a crash. */
const ABANDONED_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 100;
/** Of several that take over the same mark, the last one to write it has it. */
const SETTLED_AFTER_MS = 1_000;

/**
 * Refuses a folder that is used from where its processes cannot be seen. Should another one take it nevertheless, as from a machine that stood
 * still for long, the server here is ended at once: what it has acknowledged is in its log.
 */
export async function markInUse(clusterDir: string, { log, heartbeats }: Deps): Promise<InUse> {
  const file = `${clusterDir}.in-use`;
  await claim(file);
  let server: number | undefined;
  let isLost = false;
  const touching = startLoop({
    name: 'marking the data directory as in use',
    task: async () => {
      // From then on the lock file is that of another server.
      if (!isLost) server = runningPid(clusterDir) ?? server;
      if (!isLost && (await keep(file))) return;
      isLost = true;
      if (server !== undefined && isServerOf(server, clusterDir)) signal(server, 'SIGQUIT');
      throw refusalOf(file);
    },
    pauseMs: TOUCH_EVERY_MS,
    heartbeats,
    log,
  });
  return {
    isLost: () => isLost,
    end: async () => {
      await touching.stop();
      if (!isLost && runningPid(clusterDir) === undefined) await rm(file, { force: true });
    },
  };
}

/** Returns when the mark is that of the processes here. */
async function claim(file: string): Promise<void> {
  while (!(await create(file))) {
    const found = await readMark(file);
    if (found === undefined) continue;
    const seen = found.madeBy === visibleHere() ? 'ours' : await watchMark(file, found);
    if (seen === 'gone') continue;
    if (seen === 'ours') return touch(file);
    await writeDurably(file, visibleHere());
    await wait(SETTLED_AFTER_MS);
    if (await keep(file)) return;
    throw refusalOf(file);
  }
}

/** Of a mark that others have made: refuses one that they touch. */
async function watchMark(file: string, found: Mark): Promise<'abandoned' | 'gone' | 'ours'> {
  const endMs = performance.now() + ABANDONED_AFTER_MS;
  while (performance.now() < endMs) {
    await wait(LOOK_EVERY_MS);
    const mark = await readMark(file);
    if (mark === undefined) return 'gone';
    // Another process here was faster, and has found it abandoned.
    if (mark.madeBy === visibleHere()) return 'ours';
    if (mark.touchedMs !== found.touchedMs || mark.madeBy !== found.madeBy) throw refusalOf(file);
  }
  return 'abandoned';
}

/** False when the mark is that of others by now. */
async function keep(file: string): Promise<boolean> {
  const mark = await readMark(file);
  if (mark !== undefined && ![visibleHere(), ''].includes(mark.madeBy)) return false;
  // Another process here that was stopped may have removed it, or is just making it.
  if (mark === undefined) await create(file);
  else if (mark.madeBy === '') await writeDurably(file, visibleHere());
  else await touch(file);
  return true;
}

/** A node that has crashed there has let go of it ten seconds later. */
function refusalOf(file: string): AwayError {
  const folder = path.dirname(file);
  return new AwayError(
    `Another container or machine uses the data in ${folder}: stop it, or run the command inside of it.`,
  );
}

/** False when there is one. */
async function create(file: string): Promise<boolean> {
  try {
    await writeFile(file, visibleHere(), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw error;
  }
}

async function touch(file: string): Promise<void> {
  const now = new Date();
  // The time of the file alone: that also works on a full disk. Root may have made it, in a folder of this user.
  await utimes(file, now, now).catch(() => writeDurably(file, visibleHere()));
}

type Mark = { readonly madeBy: string; readonly touchedMs: number };

async function readMark(file: string): Promise<Mark | undefined> {
  try {
    // Opened each time: on a network file system this asks the server. One that only another user may read is not of here.
    const madeBy = await readFile(file, 'utf8').catch(error => {
      if ((error as { code?: string }).code === 'EACCES') return 'another user';
      throw error;
    });
    return { madeBy, touchedMs: (await stat(file)).mtimeMs };
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The same for all processes that see each other: the boot of a machine and the namespace of process ids. */
function visibleHere(): string {
  const boot = orUndefined(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? hostname();
  return `${boot} ${orUndefined(() => readlinkSync('/proc/self/ns/pid')) ?? ''}`;
}

function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
