// Who is refused while a table is locked, and who waits on. The limit of a statement is so long that nothing here ends by it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { openAccounts } from '../../src/accounts/store.ts';
import { withBackgroundKind, withWorkKind } from '../../src/lib/work-kind.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { stuckOnTables } from '../../src/storage/table-locks.ts';
import { createDatabase, sessionOn, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import { type Over, until } from '../harness/process.ts';

const FOR_EVER_MS = 3_600_000;

let database: TestDatabase;
before(async () => {
  database = await createDatabase();
});
after(() => database.drop());

/** Few connections, of which each kind has one. */
function openPatient(t: Over): Database {
  const limits = { query_timeout: FOR_EVER_MS, statement_timeout: FOR_EVER_MS };
  const db = openDatabase({
    connection: { connectionString: database.url, ...limits },
    log: silentLog,
    maxConnections: 5,
  });
  t.after(() => db.close());
  return db;
}

async function lock(t: Over, statement: string): Promise<pg.Client> {
  const holder = await sessionOn(t, database.url);
  await holder.query(`begin; ${statement}`);
  return holder;
}

const open = (sql: Sql, id: string) => openAccounts(sql, [{ id, at: new Date('2026-11-16T12:00:00Z') }]);
const read = (db: Database, kind: string) => withWorkKind(kind, () => db.query('select id from accounts'));
const write = (db: Database, kind: string) => withWorkKind(kind, () => db.transaction(tx => open(tx, kind)));

const assertRefused = (asked: Promise<unknown>) => assert.rejects(asked, { code: 'database_timeout' });

test('callers that wait for a locked table are refused, and the next of their kind wait a short time only', async t => {
  const db = openPatient(t);
  const holder = await lock(t, 'lock table accounts in access exclusive mode');
  // The second of them waits behind the first.
  await Promise.all([assertRefused(read(db, 'reads')), assertRefused(read(db, 'reads'))]);
  await assertRefused(write(db, 'writes'));
  // The connections of the first two still hang, and no caller waits for their end; those of the next have a limit for locks.
  await Promise.all([assertRefused(read(db, 'reads')), assertRefused(write(db, 'writes'))]);
  await until('the next to have ended', () => db.poolStats().total - db.poolStats().idle === 2);
  const job = withBackgroundKind('job', () => db.query('select id from accounts'));
  await holder.query('rollback');
  assert.deepEqual(await job, []);
  await until('what hung to end', () => db.poolStats().idle === db.poolStats().total);
  assert.deepEqual(await read(db, 'reads'), []);
  await write(db, 'writes');
  assert.deepEqual(await read(db, 'reads'), [{ id: 'writes' }]);
});

test('a caller that waits for the row of another is not refused', async t => {
  const db = openPatient(t);
  await open(db, 'held');
  const rowHolder = await lock(t, `select from accounts where id = 'held' for update`);
  const waiting = withWorkKind('payments', () =>
    db.transaction(tx => tx.query(`update accounts set created_at = now() where id = 'held' returning id`)),
  );
  const tableHolder = await lock(t, 'lock table api_keys in access exclusive mode');
  // It came later, and is refused: so the locks were looked at.
  await assertRefused(withWorkKind('keys', () => db.query('select from api_keys')));
  await tableHolder.query('rollback');
  await rowHolder.query('rollback');
  assert.deepEqual(await waiting, [{ id: 'held' }]);
});

test('who waits for a row whose holder waits for a table is refused with it', () => {
  const waits = [
    { pid: 4, waits_for_table: false, blocked_by: [3] },
    { pid: 3, waits_for_table: false, blocked_by: [2] },
    { pid: 2, waits_for_table: true, blocked_by: [1] },
    { pid: 6, waits_for_table: false, blocked_by: [5] },
  ];
  assert.deepEqual([...stuckOnTables(waits)].sort(), [2, 3, 4]);
});
