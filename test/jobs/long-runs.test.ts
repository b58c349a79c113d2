// A long run of a background loop is not a hanging one: its node stays in service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSweeping, sweepInBatches } from '../../src/jobs/sweep.ts';
import { hasStopped, type LoopHealth, watchHeartbeats } from '../../src/lib/heartbeats.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from '../harness/clock.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';

const MINUTE_MS = 60_000;

test('a sweep of many timers is alive while batches follow each other, and hangs when one takes too long', async t => {
  const database = await createDatabase();
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  t.after(async () => {
    await db.close();
    await database.drop();
  });
  let uptimeMs = 0;
  const heartbeats = watchHeartbeats(() => uptimeMs);
  const seen: LoopHealth[] = [];
  const over = Promise.withResolvers<void>();
  const batchMs = [MINUTE_MS, MINUTE_MS, MINUTE_MS, MINUTE_MS, 3 * MINUTE_MS];
  const takeBatch = async (_tx: unknown, limit: number) => {
    uptimeMs += batchMs[seen.length] ?? 0;
    seen.push(...heartbeats.list());
    return seen.length < batchMs.length ? limit : 0;
  };
  const sweep = {
    name: 'many timers',
    upTo: async (_moment: Date, beat?: () => void) => {
      const swept = await sweepInBatches(db, takeBatch, beat);
      over.resolve();
      return swept;
    },
    nextStopAt: async () => undefined,
  };
  const sweeping = startSweeping({
    sweeps: [sweep],
    clock: testClock('2026-11-16T12:00:00.000Z'),
    log: silentLog,
    heartbeats,
  });
  await over.promise;
  await sweeping.stop();
  assert.deepEqual(seen.map(hasStopped), [false, false, false, false, true]);
});
