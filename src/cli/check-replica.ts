// What the doctor finds about the database of DATABASE_READ_URL: whether it is a standby of ours, and how far it is behind.
import { setTimeout as wait } from 'node:timers/promises';
import { isOutage, StartError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { isMigrated } from '../storage/migrate.ts';
import { openReplicaDatabase } from '../storage/replica.ts';
import { requireCopyOf, requireReplicaSession } from '../storage/replica-check.ts';
import { leaveMark, readMark } from '../storage/replica-marks.ts';
import type { ReplicaSettings } from '../storage/replica-settings.ts';
import { type Finding, right, wrong } from './finding.ts';

const LOOK_AGAIN_MS = 50;

/** Writes a mark on the primary and waits until the replica shows it, as long as its lag may be. */
export async function checkReplica(primary: Sql, { url, maxLagMs }: ReplicaSettings): Promise<Finding> {
  const replica = openReplicaDatabase(url);
  const fault = (message: string) => wrong(`replica: ${message}`);
  try {
    await requireCopyOf(primary, replica.probe);
    await requireReplicaSession(replica.probe, url);
    const { isStandby } = await readMark(replica.probe);
    if (!isStandby) return fault('DATABASE_READ_URL is not a standby; lists are read from DATABASE_URL');
    await leaveMark(primary);
    const { markedAt } = await readMark(primary);
    const startMs = performance.now();
    while ((await readMark(replica.probe)).markedAt < markedAt) {
      if (performance.now() - startMs > maxLagMs) {
        return fault(`more than ${maxLagMs / 1000} s behind; lists are read from DATABASE_URL`);
      }
      await wait(LOOK_AGAIN_MS);
    }
    if (!(await isMigrated(replica.probe))) return fault('lacks a migration');
    const seconds = (performance.now() - startMs) / 1000;
    return right(`replica: a standby, showed a mark after ${seconds.toFixed(1)} s`);
  } catch (error) {
    if (error instanceof StartError) return fault(error.message);
    if (!isOutage(error)) throw error;
    return fault('does not answer; lists are read from DATABASE_URL');
  } finally {
    await replica.close();
  }
}
