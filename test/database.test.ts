// How transactions are spoken, where it would hurt most if it went wrong. One connection, so that everything meets on it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openAccounts } from '../src/accounts/store.ts';
import { type Database, openDatabase, type Sql, type TransactionOptions } from '../src/storage/database.ts';
import { createDatabase, type TestDatabase } from './harness/databases.ts';
import { silentLog } from './harness/log.ts';

let database: TestDatabase;
let db: Database;
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log: silentLog, maxConnections: 1 });
});
after(async () => {
  await db.close();
  await database.drop();
});
beforeEach(() => db.query('delete from accounts'));

/** Writes an account by a statement that the session remembers. */
const open = (sql: Sql, id: string) => openAccounts(sql, [{ id, at: new Date('2026-11-16T12:00:00Z') }]);
const openIn = (id: string, options: TransactionOptions) => db.transaction(tx => open(tx, id), options);

async function opened(): Promise<string[]> {
  const rows = await db.query<{ id: string }>('select id from accounts order by id');
  return rows.map(({ id }) => id);
}

test('a transaction that could not be begun leaves nothing of what was sent along with it', async () => {
  await openIn('begun', { lockWaitMs: 100 });
  // No number that the server could even read, so that the whole beginning is refused.
  await assert.rejects(openIn('not begun', { lockWaitMs: Number.NEGATIVE_INFINITY }), /syntax error/);
  await openIn('begun again', { lockWaitMs: 1_000 });
  assert.deepEqual(await opened(), ['begun', 'begun again']);
});

test('a statement that comes after the end of its transaction is not carried out', async () => {
  let late: Promise<void> | undefined;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const work = async (tx: Sql) => {
    late = isOver.then(() => open(tx, 'late'));
    await open(tx, 'in time');
    throw new Error('changed its mind');
  };
  await assert.rejects(db.transaction(work), /changed its mind/);
  end();
  await assert.rejects(late!, /after the end/);
  assert.deepEqual(await opened(), []);
});

test('a session that has forgotten its statements is replaced, and the transaction run again', async () => {
  await openIn('before', {});
  await db.query('deallocate all');
  await openIn('after', {});
  await db.query('deallocate all');
  await openIn('at once', { lockWaitMs: 100 });
  assert.deepEqual(await opened(), ['after', 'at once', 'before']);
});

test('what a snapshot reads is of one moment', async () => {
  const other = openDatabase({ connection: { connectionString: database.url }, log: silentLog, maxConnections: 1 });
  try {
    const count = async (tx: Sql) => (await tx.query('select from accounts')).length;
    const counts = await db.transaction(
      async tx => {
        const first = await count(tx);
        await open(other, 'meanwhile');
        return [first, await count(tx)];
      },
      { isSnapshot: true },
    );
    assert.deepEqual(counts, [0, 0]);
  } finally {
    await other.close();
  }
});
