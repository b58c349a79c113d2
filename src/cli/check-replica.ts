// What the doctor finds about the database of DATABASE_READ_URL: whether it is a standby of ours, and how far it is behind.
import { setTimeout as wait } from 'node:timers/promises';
import type { ReplicaSettings } from '../config/config.ts';
import { isOutage, StartError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';
import { openReplicaDatabase } from '../storage/replica.ts';
import { requireCopyOf, requireReplicaSession } from '../storage/replica-check.ts';
import { leaveMark, readMark } from '../storage/replica-marks.ts';

export type ReplicaFinding = { readonly isRight: boolean; readonly words: string };

const LOOK_AGAIN_MS = 50;

/** Leaves a mark on the primary and waits until the replica shows it, for as long as it may be behind. */
export async function checkReplica(primary: Sql, { url, maxLagMs }: ReplicaSettings): Promise<ReplicaFinding> {
  const replica = openReplicaDatabase(url);
  const wrong = (words: string) => ({ isRight: false, words: `replica: ${words}` });
  try {
    await requireCopyOf(primary, replica.probe);
    await requireReplicaSession(replica.probe, url);
    const { isStandby } = await readMark(replica.probe);
    if (!isStandby) return wrong('DATABASE_READ_URL leads to no standby; lists are read from DATABASE_URL');
    await leaveMark(primary);
    const { markedAt } = await readMark(primary);
    const startMs = performance.now();
    while ((await readMark(replica.probe)).markedAt < markedAt) {
      if (performance.now() - startMs > maxLagMs) {
        return wrong(`more than ${maxLagMs / 1000} s behind; lists are read from DATABASE_URL`);
      }
      await wait(LOOK_AGAIN_MS);
    }
    if (!(await isMigrated(replica.probe))) return wrong('lacks a migration');
    const seconds = (performance.now() - startMs) / 1000;
    return { isRight: true, words: `replica: a standby, showed a mark after ${seconds.toFixed(1)} s` };
  } catch (error) {
    if (error instanceof StartError) return wrong(error.message);
    if (!isOutage(error)) throw error;
    return wrong('does not answer; lists are read from DATABASE_URL');
  } finally {
    await replica.close();
  }
}
