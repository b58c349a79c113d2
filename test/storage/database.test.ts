// Transactions where an error would do most harm. A single connection, so that everything shares it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { openAccounts } from '../../src/accounts/store.ts';
import { type Database, openDatabase, type Sql, type TransactionOptions } from '../../src/storage/database.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';

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

/** Writes an account with a prepared statement. */
const open = (sql: Sql, id: string) => openAccounts(sql, [{ id, at: new Date('2026-11-16T12:00:00Z') }]);
const openIn = (id: string, options: TransactionOptions) => db.transaction(tx => open(tx, id), options);

async function opened(): Promise<string[]> {
  const rows = await db.query<{ id: string }>('select id from accounts order by id');
  return rows.map(({ id }) => id);
}

test('a transaction that could not be begun writes nothing', async () => {
  await openIn('begun', { lockTimeoutMs: 100 });
  // Not a number, so that the server refuses the whole beginning.
  await assert.rejects(openIn('not begun', { lockTimeoutMs: Number.NEGATIVE_INFINITY }), /syntax error/);
  await openIn('begun again', { lockTimeoutMs: 1_000 });
  assert.deepEqual(await opened(), ['begun', 'begun again']);
});

test('a statement that comes after the end of its transaction is not carried out', async () => {
  let late: Promise<unknown> | undefined;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const work = async (tx: Sql) => {
    late = isOver.then(() => open(tx, 'late'));
    await open(tx, 'in time');
    throw new Error('roll back');
  };
  await assert.rejects(db.transaction(work), /roll back/);
  end();
  await assert.rejects(late!, /after the end/);
  assert.deepEqual(await opened(), []);
});

test('a session that has lost its prepared statements is replaced, and the transaction is run again', async () => {
  await openIn('before', {});
  await db.query('deallocate all');
  await openIn('after', {});
  await db.query('deallocate all');
  await openIn('at once', { lockTimeoutMs: 100 });
  assert.deepEqual(await opened(), ['after', 'at once', 'before']);
});

test('a snapshot reads the state of one moment', async () => {
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

test('a transaction with concurrent statements fails with the first error', async () => {
  const work = (tx: Sql) => {
    const deep = async () => {
      await tx.query('select 1 / 0');
    };
    return Promise.all([(async () => deep())(), tx.query('select 2')]);
  };
  for (let tried = 0; tried < 20; tried++) await assert.rejects(db.transaction(work), /division by zero/);
});

test('a transaction may have its own lock timeout, and leaves its session unchanged', async () => {
  const holder = openDatabase({ connection: { connectionString: database.url }, log: silentLog, maxConnections: 1 });
  try {
    await open(db, 'held');
    await holder.transaction(async tx => {
      await tx.query(`select from accounts where id = 'held' for update`);
      const removal = db.transaction(own => own.query(`delete from accounts where id = 'held'`), { lockTimeoutMs: 50 });
      await assert.rejects(removal, { code: '55P03' });
    });
    assert.deepEqual(await db.query('show lock_timeout'), [{ lock_timeout: '0' }]);
  } finally {
    await holder.close();
  }
});

test('a transaction may have its own statement timeout, and leaves its session unchanged', async () => {
  const shown = (sql: Sql) => sql.query('show statement_timeout');
  assert.deepEqual(await db.transaction(shown, { statementLimitMs: 600_000 }), [{ statement_timeout: '10min' }]);
  assert.deepEqual(await shown(db), [{ statement_timeout: '4s' }]);
});

test('outages of the database have different errors: no free connection, a slow statement, a held lock', async () => {
  const connection = { connectionString: database.url, connectionTimeoutMillis: 100, statement_timeout: 100 };
  const hurried = openDatabase({ connection, log: silentLog, maxConnections: 1 });
  try {
    await assert.rejects(hurried.query('select pg_sleep(5)'), { code: 'database_timeout' });
    await open(db, 'held');
    await db.transaction(async tx => {
      await tx.query(`select from accounts where id = 'held' for update`);
      const removal = hurried.transaction(async own => {
        await own.query(`set local lock_timeout = '20ms'`);
        await assert.rejects(hurried.query('select'), { code: 'overloaded' });
        await own.query(`delete from accounts where id = 'held'`);
      });
      await assert.rejects(removal, { code: 'database_timeout' });
    });
    await assert.rejects(hurried.query('select 1 / 0'), { code: '22012' });
  } finally {
    await hurried.close();
  }
});

test('an unreachable database is unavailable', async () => {
  const connection = { connectionString: 'postgres://trilho@127.0.0.1:1/none' };
  const nowhere = openDatabase({ connection, log: silentLog });
  await assert.rejects(nowhere.query('select'), { code: 'database_unavailable' });
  await nowhere.close();
});

test('a listener of a channel is called once after the commit, and not after a rollback', async () => {
  const received: string[][] = [];
  db.listen('test', () => void received.push([]));
  const notify = (outcome: () => void) =>
    db.transaction(async tx => {
      tx.notify?.('test');
      tx.notify?.('test');
      assert.equal(received.length, 0);
      outcome();
    });
  await assert.rejects(
    notify(() => {
      throw new Error('roll back');
    }),
  );
  assert.equal(received.length, 0);
  await notify(() => {});
  assert.equal(received.length, 1);
});

test('lists are read back unchanged', async () => {
  const texts = [
    '',
    ' ',
    'plain',
    'null',
    'NULL',
    'a,b',
    '{}',
    '{"a"}',
    '"',
    '\\',
    '\\"',
    "'",
    'a b',
    'ção',
    '\n',
    '😀',
    '-1.5e+3',
    null,
  ];
  const moments = ['0001-01-01', '2026-11-15T12:34:56.789Z', '9999-12-31T23:59:59.999Z'].map(text => new Date(text));
  const [row] = await db.query(
    `select $1::text[] as texts, $2::timestamptz[] as moments, $3::bytea[] as bytes, $4::bigint[] as numbers,
            $5::boolean[] as flags, $6::text[] as none, $7::text as text`,
    [
      [...texts, undefined],
      moments,
      [Buffer.from([0, 92, 255]), Buffer.alloc(0)],
      [2n ** 62n, -1, 0],
      [true, false, null],
      [],
      '{not,a,list}',
    ],
  );
  assert.deepEqual(row, {
    texts: [...texts, null],
    moments,
    bytes: [Buffer.from([0, 92, 255]), Buffer.alloc(0)],
    numbers: [String(2n ** 62n), '-1', '0'],
    flags: [true, false, null],
    none: [],
    text: '{not,a,list}',
  });
});
