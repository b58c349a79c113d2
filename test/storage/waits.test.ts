// Every wait for the database has a limit: callers that need a locked table are refused, and served again when it is free.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openAccounts } from '../../src/accounts/store.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { createDatabase, sessionOn, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import type { Over } from '../harness/process.ts';

let database: TestDatabase;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

/** Two connections, whose callers wait for a short time only. */
function openHurried(t: Over): Database {
  const connection = { connectionString: database.url, statement_timeout: 200, connectionTimeoutMillis: 100 };
  const db = openDatabase({ connection, log: silentLog, maxConnections: 2 });
  t.after(() => db.close());
  return db;
}

const read = (db: Database) => db.query('select id from accounts');

test('callers that need a locked table are refused, and so are those waiting for a connection; others succeed afterwards', async t => {
  const db = openHurried(t);
  await db.query('select');
  const holder = await sessionOn(t, database.url);
  await holder.query('begin; lock table accounts in access exclusive mode');
  const codes = (await Promise.allSettled([read(db), read(db), read(db)])).map(
    outcome => outcome.status === 'rejected' && outcome.reason.code,
  );
  assert.deepEqual(codes, ['database_timeout', 'database_timeout', 'overloaded']);
  assert.deepEqual(await db.query('select 1 as one'), [{ one: 1 }]);
  await holder.query('rollback');
  assert.deepEqual(await read(db), []);
});

test('a probe answers while every connection of the pool waits', async t => {
  const db = openHurried(t);
  const holder = await sessionOn(t, database.url);
  await holder.query('begin; lock table accounts in access exclusive mode');
  const waiting = Promise.allSettled([read(db), read(db)]);
  assert.deepEqual(await db.probe.query('select 1 as one'), [{ one: 1 }]);
  await holder.query('rollback');
  await waiting;
});

test('a transaction that was refused at a lock has written nothing', async t => {
  const db = openHurried(t);
  const holder = await sessionOn(t, database.url);
  await holder.query('begin; lock table api_keys in access exclusive mode');
  const work = db.transaction(async tx => {
    await openAccounts(tx, [{ id: 'halfway', at: new Date('2026-11-16T12:00:00Z') }]);
    await tx.query('select from api_keys');
  });
  await assert.rejects(work, { code: 'database_timeout' });
  await holder.query('rollback');
  assert.deepEqual(await read(db), []);
});
