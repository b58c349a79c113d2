// Business time in live is that of the database's machine, however wrong this machine's clock is.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { startDatabaseClock } from '../../src/storage/database-clock.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';

let database: TestDatabase;
let db: Database;
const { log, lines } = recordingLog();
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log });
});
after(async () => {
  await db.close();
  await database.drop();
});

for (const offMs of [-20_000, 3_600_000]) {
  test(`a clock that is ${offMs / 1000} s off is corrected, with a log line`, async () => {
    lines.length = 0;
    const machineClock = { now: () => new Date(Date.now() + offMs) };
    const clock = await startDatabaseClock({ db, log, machineClock });
    try {
      const [before] = await db.query<{ now: Date }>('select clock_timestamp() as now');
      const now = clock.now();
      const [after] = await db.query<{ now: Date }>('select clock_timestamp() as now');
      // The measurement is as exact as half its round trip, which is long on a busy machine.
      const slackMs = 5_000;
      assert.ok(now.getTime() > before!.now.getTime() - slackMs, `${now.toISOString()} is too early`);
      assert.ok(now.getTime() < after!.now.getTime() + slackMs, `${now.toISOString()} is too late`);
      assert.equal(lines.length, 1);
      assert.match(lines[0]!, /clock is off; the service uses the database's time/);
    } finally {
      await clock.stop();
    }
  });
}
