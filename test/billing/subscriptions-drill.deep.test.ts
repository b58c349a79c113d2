// Subscriptions over two years of sandbox time, on two nodes that are killed while the clock moves: each cycle one charge, at its day.
// `npm run drill -- subscriptions` is the same with a thousand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../src/storage/database.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { kill, ownFolder, startTrilho } from '../harness/process.ts';
import { runSubscriptions } from '../harness/subscription-drill.ts';

test('each cycle of two years is charged once, whichever node is killed', { timeout: 840_000 }, async t => {
  const database = await createDatabase();
  t.after(() => database.drop());
  const folder = await ownFolder(t);
  const db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  t.after(() => db.close());
  const env = {
    DATABASE_URL: database.url,
    TRILHO_MODE: 'sandbox',
    TRILHO_DEMO: 'off',
    TRILHO_RATE_LIMIT: '0',
  };
  const start = async () => {
    const { url, pid } = await startTrilho({ folder, env });
    return { url, kill: () => kill(pid, 'SIGKILL') };
  };
  const subscriptions = 4;
  const options = { db, start, subscriptions, months: 24, kills: 2, seed: 7 };
  const { lost, doubled, wrong, kills, charges, payments } = await runSubscriptions(options);
  assert.deepEqual({ lost, doubled, wrong, kills }, { lost: [], doubled: [], wrong: [], kills: 2 });
  assert.ok(charges >= payments && payments > subscriptions, `${charges} charges, ${payments} payments`);
});
