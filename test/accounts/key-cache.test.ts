// The cache of API keys: one look-up for concurrent callers, no entry older than a second, and a maximum size.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createKey, revokeKey } from '../../src/accounts/create-key.ts';
import { type KeyCache, keyCache } from '../../src/accounts/key-cache.ts';
import { openAccount } from '../../src/accounts/store.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { type TestClock, testClock } from '../harness/clock.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';

const UNKNOWN = '000000000000';

let database: TestDatabase;
let db: Database;
let id: string;
/** Ids that were read from the database, in order; during an outage every look-up fails. */
let asked: unknown[];
let isAway: boolean;
let clock: TestClock;
let cache: KeyCache;
before(async () => {
  database = await createDatabase();
  db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
});
after(async () => {
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  clock = testClock('2026-11-16T12:00:00.000Z');
  await openAccount(db, 'acme', clock.now());
  ({ id } = await createKey({ db, clock }, { accountId: 'acme', scopes: ['charges:read'], createdBy: 'operator' }));
  asked = [];
  isAway = false;
  const counting: Sql = {
    query: async (text, values = [], options = {}) => {
      asked.push(values[0]);
      if (isAway) throw new AppError('database_unavailable', 'The database cannot be reached.');
      return db.query(text, values, options);
    },
  };
  cache = keyCache({ db: counting, machineClock: clock });
});

test('concurrent callers share one look-up, and so do those of the next 900 ms', async () => {
  const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(id)));
  assert.deepEqual(new Set(found.map(key => key?.accountId)), new Set(['acme']));
  clock.advanceMs(899);
  await cache.find(id);
  assert.deepEqual(asked, [id]);
  clock.advanceMs(1);
  await cache.find(id);
  assert.deepEqual(asked, [id, id]);
});

test('a revoked key is refused within 900 ms', async () => {
  assert.equal((await cache.find(id))?.revokedAt, undefined);
  await revokeKey({ db, clock }, id);
  clock.advanceMs(900);
  assert.ok((await cache.find(id))?.revokedAt);
});

test('a caller who needs a fresher entry causes a look-up', async () => {
  await cache.find(id);
  clock.advanceMs(100);
  await cache.find(id, 101);
  assert.equal(asked.length, 1);
  await cache.find(id, 100);
  assert.equal(asked.length, 2);
});

test('while a look-up hangs no other is started; later callers get the result of the next one', async () => {
  const gate = Promise.withResolvers<void>();
  let lookUps = 0;
  const slow: Sql = {
    query: async (text, values = [], options = {}) => {
      const isFirst = lookUps++ === 0;
      const rows = await db.query(text, values, options);
      if (isFirst) await gate.promise;
      // biome-ignore lint/suspicious/noExplicitAny: passed on unchanged.
      return rows as any;
    },
  };
  const own = keyCache({ db: slow, machineClock: clock });
  const first = own.find(id);
  clock.advanceMs(900);
  const later = Promise.all([own.find(id), own.find(id)]);
  assert.equal(lookUps, 1);
  await revokeKey({ db, clock }, id);
  gate.resolve();
  await first;
  for (const key of await later) assert.ok(key?.revokedAt);
  assert.equal(lookUps, 2);
});

test('an unknown id is cached like a known one', async () => {
  assert.equal(await cache.find(UNKNOWN), undefined);
  assert.equal(await cache.find(UNKNOWN), undefined);
  assert.deepEqual(asked, [UNKNOWN]);
});

test('a failed look-up is not cached, and the previous entry can still be used', async () => {
  await cache.find(id);
  clock.advanceMs(900);
  isAway = true;
  await assert.rejects(cache.find(id), { code: 'database_unavailable' });
  await assert.rejects(cache.find(id), { code: 'database_unavailable' });
  assert.equal(asked.length, 3);
  assert.equal(cache.recall(id)?.accountId, 'acme');
  assert.equal(cache.recall(UNKNOWN), undefined);
  clock.advanceMs(3_600_000);
  assert.equal(cache.recall(id), undefined, 'not for ever');
  isAway = false;
  assert.ok(await cache.find(id));
});

test('a clock that is set back makes no entry last longer', async () => {
  await cache.find(id);
  clock.advanceMs(-60_000);
  await cache.find(id);
  assert.equal(asked.length, 2);
});

test('the first unknown ids are looked up one by one; then all ids are read once', async () => {
  const invented = (number: number) => String(number).padStart(12, '0');
  for (let number = 0; number < 50; number++) await cache.find(invented(number));
  assert.equal(asked.length, 50);
  for (let number = 50; number < 1_000; number++) assert.equal(await cache.find(invented(number)), undefined);
  assert.equal(asked.length, 51);
  assert.equal((await cache.find(id))?.accountId, 'acme', 'a good key comes through');
  // A key that is created now is found as soon as the cache expires.
  const made = await createKey({ db, clock }, { accountId: 'acme', scopes: ['charges:read'], createdBy: 'operator' });
  assert.equal(await cache.find(made.id), undefined);
  clock.advanceMs(900);
  assert.equal((await cache.find(made.id))?.accountId, 'acme');
});

test('when the ids could not be read, they are read again', async () => {
  for (let number = 0; number < 50; number++) await cache.find(String(number).padStart(12, '0'));
  isAway = true;
  await assert.rejects(cache.find(UNKNOWN.replace('0', 'x')), { code: 'database_unavailable' });
  isAway = false;
  assert.equal(await cache.find(UNKNOWN.replace('0', 'x')), undefined);
  assert.ok(await cache.find(id));
});

test('no more ids are cached than the limit, and the least recently used are dropped first', async () => {
  const row = { account_id: 'acme', name: null, scopes: [], secret_hash: Buffer.alloc(32), created_at: clock.now() };
  const everything: Sql = {
    // biome-ignore lint/suspicious/noExplicitAny: the one statement of the cache that is answered here.
    query: async (_text, [wanted] = []) => [{ ...row, id: wanted, revoked_at: null, last_used_at: null }] as any,
  };
  const full = keyCache({ db: everything, machineClock: clock });
  for (let number = 0; number <= 10_000; number++) {
    if (number % 50 === 0) clock.advanceMs(900);
    await full.find(String(number).padStart(12, '0'));
  }
  assert.equal(full.recall('000000000000'), undefined);
  assert.ok(full.recall('000000000001'));
  assert.ok(full.recall('000000010000'));
});
