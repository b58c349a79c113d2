// Mandates through all journeys at a PSP that loses, repeats and reorders, on two nodes that are killed: each cycle one charge, each payment
// credited once. `npm run drill -- mandates` is the same with two hundred.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { runMandates } from '../harness/mandate-drill/drill.ts';
import { ownFolder } from '../harness/process.ts';

test('each cycle is charged and collected once, whatever the PSP loses', { timeout: 840_000 }, async t => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const folder = await ownFolder(t);
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  t.after(() => db.close());
  // With this seed payers approve in each of the four journeys.
  const options = { db, databaseUrl: database.url, folder, mandates: 8, weeks: 1, kills: 2, seed: 14 };
  const { lost, doubled, wrong, kills, cycles, payments, collected, control } = await runMandates(options);
  assert.deepEqual({ lost, doubled, wrong, kills }, { lost: [], doubled: [], wrong: [], kills: 2 });
  assert.deepEqual(control, ['charge', 'collection', 'payment'], 'what is made twice is found');
  assert.ok(payments >= cycles && collected > 0, `${payments} payments of ${cycles} cycles, ${collected} collected`);
});
