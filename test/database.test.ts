// How transactions are spoken, where it would hurt most if it went wrong. One connection, so that everything meets on it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { accountsOpening } from '../src/accounts/store.ts';
import { type Database, openDatabase, run, type Sql, type TransactionOptions } from '../src/storage/database.ts';
import { NotAllWritten } from '../src/storage/together.ts';
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
const open = (sql: Sql, id: string) => run(sql, accountsOpening([{ id, at: new Date('2026-11-16T12:00:00Z') }]));
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
  let late: Promise<unknown> | undefined;
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

/** Writes an account; its id is refused when it is there already. */
const insert = (id: string) => ({
  name: 'insert_account',
  text: 'insert into accounts (id, created_at) values ($1, now())',
  values: [id],
});
/** The same, and those that are there are told. */
const insertAll = (ids: readonly string[]) => ({
  text: `with new as (insert into accounts (id, created_at) select id, now() from unnest($1::text[]) as id
                      on conflict do nothing returning id)
         select all_written(array_agg(id), $1, true) from new`,
  values: [ids],
});
const look = { text: 'select id from accounts', values: [] };

test('what is sent whole is done whole or not at all, and what was sent behind it all the same', async () => {
  const lane = db.lane(100);
  const [first, broken, behind] = await Promise.allSettled([
    lane.together([insert('a'), insert('b')]),
    lane.together([insert('c'), insert('a'), insert('d')]),
    lane.together([insert('e'), look]),
  ]);
  assert.deepEqual([first.status, broken.status, behind.status], ['fulfilled', 'rejected', 'fulfilled']);
  assert.match(String((broken as PromiseRejectedResult).reason), /duplicate key/);
  assert.deepEqual(await opened(), ['a', 'b', 'e']);
  assert.deepEqual(await lane.query('select id from accounts where id = any($1)', [['b', 'x']]), [{ id: 'b' }]);
});

test('what is sent whole and cannot all be written is not, and those that cannot are told', async () => {
  const lane = db.lane(100);
  await lane.together([insertAll(['a', 'b'])]);
  const refused = lane.together([insert('x'), insertAll(['a', 'n', 'b', 'm']), insert('y')]);
  await assert.rejects(refused, (error: unknown) => {
    assert.ok(error instanceof NotAllWritten);
    assert.deepEqual([...error.missing], ['a', 'b']);
    return true;
  });
  assert.deepEqual(await opened(), ['a', 'b']);
});

test('what cannot even be said is not done in part', async () => {
  const lane = db.lane(100);
  const self: { self?: object } = {};
  self.self = self;
  const unsayable = { text: 'select $1::json', values: [self] };
  await assert.rejects(lane.together([insert('a'), unsayable, insert('b')]), /circular/);
  await lane.together([insert('c')]);
  assert.deepEqual(await opened(), ['c']);
});

test('a lane whose session has forgotten its statements, or never learnt them, takes another', async () => {
  const lane = db.lane(100);
  await lane.together([insert('a')]);
  await db.query('deallocate all');
  await lane.together([insert('b')]);
  await db.query('deallocate all');
  const poor = { text: 'select 1 / 0', values: [] };
  // What comes after a failure is not heard; the one behind relies on it.
  const [failed, behind] = await Promise.allSettled([lane.together([poor, insert('c')]), lane.together([insert('d')])]);
  assert.deepEqual([failed.status, behind.status], ['rejected', 'fulfilled']);
  assert.deepEqual(await opened(), ['a', 'b', 'd']);
});

test('a lane whose transaction fails goes on in the same session, which learns what it had not heard', async () => {
  const lane = db.lane(100);
  const session = async () => (await lane.query('select pg_backend_pid() as pid'))[0];
  const before = await session();
  const poor = { text: 'select 1 / 0', values: [] };
  const touch = { name: 'touch_accounts', text: 'update accounts set id = id where id = $1', values: ['a'] };
  await assert.rejects(lane.together([insert('a'), poor, touch]), /division by zero/);
  await lane.together([insert('a'), touch]);
  await lane.together([touch]);
  assert.deepEqual([await opened(), await session()], [['a'], before]);
});

test('a transaction whose statements were said at once fails with what the first of them met', async () => {
  const work = (tx: Sql) => {
    const deep = async () => {
      await tx.query('select 1 / 0');
    };
    return Promise.all([(async () => deep())(), tx.query('select 2')]);
  };
  for (let tried = 0; tried < 20; tried++) await assert.rejects(db.transaction(work), /division by zero/);
});

test('a lane waits for a lock as long as it may, and leaves its session as it was', async () => {
  const holder = openDatabase({ connection: { connectionString: database.url }, log: silentLog, maxConnections: 1 });
  try {
    await open(db, 'held');
    const lane = db.lane(50);
    await holder.transaction(async tx => {
      await tx.query(`select from accounts where id = 'held' for update`);
      await assert.rejects(lane.query(`delete from accounts where id = 'held'`), { code: '55P03' });
    });
    assert.deepEqual(await db.query('show lock_timeout'), [{ lock_timeout: '0' }]);
    assert.deepEqual(await db.query('show plan_cache_mode'), [{ plan_cache_mode: 'auto' }]);
  } finally {
    await holder.close();
  }
});

test('lists arrive as they were sent', async () => {
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
