// Marks the folder of an embedded database as in use. Processes that see each other share one server, by the lock file of PostgreSQL. A
// container or a machine that does not see them would take that lock for a stale one, start a second server on the same files and destroy them:
// the mark refuses it.
import { readFileSync, readlinkSync } from 'node:fs';
import { open, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from '../../lib/errors.ts';
import type { Heartbeats } from '../../lib/heartbeats.ts';
import type { Log } from '../../lib/log.ts';
import { startLoop } from '../../lib/loop.ts';
import { runningPid } from './server-process.ts';

export type InUse = {
  /** The mark goes when no server runs any more. */
  end(): Promise<void>;
};

type Deps = { readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

const TOUCH_EVERY_MS = 1_000;
/** A mark that is not touched for so long was left by a crash. */
const ABANDONED_AFTER_MS = 10_000;
const LOOK_EVERY_MS = 100;

/** Refuses a folder that is used from where its processes cannot be seen. */
export async function markInUse(clusterDir: string, { log, heartbeats }: Deps): Promise<InUse> {
  const file = `${clusterDir}.in-use`;
  await refuseOthers(file);
  await writeFile(file, visibleHere());
  const touching = startLoop({
    name: 'marking the data directory as in use',
    task: () => touch(file),
    pauseMs: TOUCH_EVERY_MS,
    heartbeats,
    log,
  });
  return {
    end: async () => {
      await touching.stop();
      if (runningPid(clusterDir) === undefined) await rm(file, { force: true });
    },
  };
}

async function touch(file: string): Promise<void> {
  const mark = await readMark(file);
  // Another service that was stopped has removed it.
  if (mark === undefined) return writeFile(file, visibleHere());
  if (mark.madeBy !== visibleHere()) throw new Error('another container or machine has taken the data directory');
  // The time of the file alone: that also works on a full disk.
  const now = new Date();
  await utimes(file, now, now);
}

async function refuseOthers(file: string): Promise<void> {
  const first = await readMark(file);
  if (first === undefined || first.madeBy === visibleHere()) return;
  const endMs = performance.now() + ABANDONED_AFTER_MS;
  while (performance.now() < endMs) {
    await wait(LOOK_EVERY_MS);
    const mark = await readMark(file);
    if (mark === undefined) return;
    if (mark.touchedMs !== first.touchedMs) {
      throw new StartError(
        `Another container or machine uses the data in ${path.dirname(file)}: stop it, or run the command inside of it.`,
      );
    }
  }
}

async function readMark(file: string) {
  // Opened each time: on a network file system this asks the server.
  const handle = await open(file).catch(() => undefined);
  if (!handle) return undefined;
  try {
    return { madeBy: await handle.readFile('utf8'), touchedMs: (await handle.stat()).mtimeMs };
  } finally {
    await handle.close();
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
