// Errors of the job queue itself are in the log: what failed, and where.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type CutWire, startCutWire } from '../harness/cut-wire.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

let database: TestDatabase;
let wire: CutWire;
let service: Service;
const { log, lines } = recordingLog();
before(async () => {
  database = await createDatabase();
  wire = await startCutWire(database.url);
  service = await startService({ env: { DATABASE_URL: wire.url }, work: true, log });
});
after(async () => {
  await service.stop();
  await wire.close();
  await database.drop();
});

test('while the database is unavailable, the log has the error of the job queue', { timeout: 300_000 }, async () => {
  wire.cutAtCommit({ forGood: true });
  assert.equal((await service.post('/charges', chargeBody())).status, 503);
  const errorLine = () => lines.find(line => line.includes('taking over jobs of crashed nodes failed'));
  await until('the error', errorLine);
  wire.mend();
  const { error } = JSON.parse(errorLine()!);
  assert.equal(error.code, 'database_unavailable');
  assert.ok(error.at.length > 0);
});
