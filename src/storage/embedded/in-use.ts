// Marks the folder of an embedded database as in use. Processes that see each other share one server by the lock file of PostgreSQL. A
// container or machine that does not see them would take that lock for stale, start a second server on the same files and destroy them.
// The mark prevents that.
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
  /** Removes the mark when no server runs any more. */
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
/** When several take over the same mark, the last writer has it. */
const SETTLED_AFTER_MS = 1_000;

/**
 * Refuses a folder that is used by processes that cannot be seen from here. If another machine takes it over nevertheless, because this one
 * was suspended for long, the server here is killed at once: everything that it acknowledged is in its log.
 */
export async function markInUse(clusterDir: string, { log, heartbeats }: Deps): Promise<InUse> {
  const file = `${clusterDir}.in-use`;
  await claim(file);
  let server: number | undefined;
  let isLost = false;
  const touching = startLoop({
    name: 'marking the data directory as in use',
    task: async () => {
      // From then on the lock file belongs to another server.
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

/** Returns when the mark belongs to the processes here. */
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

/** Checks the mark of others: refuses one that they still touch. */
async function watchMark(file: string, found: Mark): Promise<'abandoned' | 'gone' | 'ours'> {
  const endMs = performance.now() + ABANDONED_AFTER_MS;
  while (performance.now() < endMs) {
    await wait(LOOK_EVERY_MS);
    const mark = await readMark(file);
    if (mark === undefined) return 'gone';
    // Another process here was faster and found it abandoned.
    if (mark.madeBy === visibleHere()) return 'ours';
    if (mark.touchedMs !== found.touchedMs || mark.madeBy !== found.madeBy) throw refusalOf(file);
  }
  return 'abandoned';
}

/** False when the mark now belongs to others. */
async function keep(file: string): Promise<boolean> {
  const mark = await readMark(file);
  if (mark !== undefined && ![visibleHere(), ''].includes(mark.madeBy)) return false;
  // A stopping process here may have removed it, or another is just creating it.
  if (mark === undefined) await create(file);
  else if (mark.madeBy === '') await writeDurably(file, visibleHere());
  else await touch(file);
  return true;
}

/** The mark of a crashed node counts as abandoned ten seconds later. */
function refusalOf(file: string): AwayError {
  const folder = path.dirname(file);
  return new AwayError(
    `Another container or machine uses the data in ${folder}: stop it, or run the command inside it.`,
  );
}

/** False when the mark exists. */
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
  // Only the time of the file, which also works on a full disk. Root may have created it in a folder of this user.
  await utimes(file, now, now).catch(() => writeDurably(file, visibleHere()));
}

type Mark = { readonly madeBy: string; readonly touchedMs: number };

async function readMark(file: string): Promise<Mark | undefined> {
  try {
    // Opened each time: on a network file system this asks the server. One that this user may not read was not made here.
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
