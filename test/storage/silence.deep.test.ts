// Who is refused when the database goes silent, and who waits on. The limits of its statements are so long that nothing here ends by them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAccounts } from '../../src/accounts/store.ts';
import { withBackgroundKind, withWorkKind } from '../../src/lib/work-kind.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { sessionOn } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { startMutableWay } from '../harness/mutable-way.ts';
import { type Over, until } from '../harness/process.ts';

const FOR_EVER_MS = 3_600_000;
const SILENT = { code: 'database_unavailable', message: /asked again in the background/ };

async function openQuiet(t: Over) {
  const way = await startMutableWay(t);
  const { log, lines } = recordingLog();
  const limits = { query_timeout: FOR_EVER_MS, statement_timeout: FOR_EVER_MS, connectionTimeoutMillis: FOR_EVER_MS };
  const db = openDatabase({ connection: { connectionString: way.url, ...limits }, log });
  t.after(() => db.close());
  // The watch has its connection from the first caller on.
  const warm = () => withWorkKind('GET /charges', () => db.query('select'));
  await Promise.all(Array.from({ length: 6 }, warm));
  return { ...way, db, lines };
}

const read = (db: Database) => withWorkKind('GET /charges', () => db.query('select 1 as one'));
const open = (sql: Sql, id: string) => openAccounts(sql, [{ id, at: new Date('2026-11-16T12:00:00Z') }]);
const write = (db: Database, id: string) => withWorkKind('POST /charges', () => db.transaction(tx => open(tx, id)));

/** Who has got something, by name and in this order. */
function watchEnds(asked: Record<string, Promise<unknown>>) {
  const ended = new Map<string, unknown>();
  for (const [name, promise] of Object.entries(asked)) {
    promise.then(
      value => ended.set(name, value),
      error => ended.set(name, error.code),
    );
  }
  return ended;
}

test('callers of a silent database are refused: whose statement hangs, who is in line, and who comes', async t => {
  const { db, fallSilent, speakAgain, databaseUrl, lines } = await openQuiet(t);
  const { promise: began, resolve: begin } = Promise.withResolvers<void>();
  const { promise: goOn, resolve: letGoOn } = Promise.withResolvers<void>();
  // It has written, and not yet committed.
  const halfway = withWorkKind('POST /wallets', () =>
    db.transaction(async tx => {
      await open(tx, 'halfway');
      begin();
      await goOn;
    }),
  );
  await began;
  fallSilent();
  // More than the share of the kind.
  const reads = Array.from({ length: 10 }, () => read(db));
  const refused = [halfway, ...reads, write(db, 'hanging')];
  for (const one of refused) await assert.rejects(one, SILENT);
  assert.equal(db.isSilent(), true);
  await assert.rejects(read(db), SILENT);
  speakAgain();
  letGoOn();
  await until('the database to answer', () => !db.isSilent());
  await until('what hung to end', () => db.poolStats().idle === db.poolStats().total);
  await write(db, 'afterwards');
  const session = await sessionOn(t, databaseUrl);
  const { rows } = await session.query('select id from accounts order by id');
  assert.deepEqual(rows, [{ id: 'afterwards' }]);
  assert.match(lines.join('\n'), /the database does not answer.*the database answers again/s);
});

test('who waits for a commit or a single write is not refused: it may have happened; nor is work in the background', async t => {
  const { db, fallSilent, speakAgain } = await openQuiet(t);
  const { promise: isSent, resolve: sent } = Promise.withResolvers<void>();
  const committing = withWorkKind('POST /wallets', () =>
    db.transaction(async tx => {
      await open(tx, 'committed');
      fallSilent();
      sent();
    }),
  );
  await isSent;
  const ended = watchEnds({
    committing,
    single: withWorkKind('POST /people', () => open(db, 'single')),
    job: withBackgroundKind('charge.issue', () => db.query('select 2 as two')),
    noKind: db.query('select 3 as three'),
    read: read(db),
  });
  await until('the silence to be known', () => db.isSilent());
  await until('the read to be refused', () => ended.has('read'));
  assert.deepEqual([...ended], [['read', 'database_unavailable']]);
  speakAgain();
  await until('all others to be served', () => ended.size === 5);
  assert.deepEqual(ended.get('job'), [{ two: 2 }]);
  assert.deepEqual(ended.get('noKind'), [{ three: 3 }]);
  await until('the database to answer', () => !db.isSilent());
  const rows = await db.query('select id from accounts order by id');
  assert.deepEqual(rows, [{ id: 'committed' }, { id: 'single' }]);
});

test('a probe that has waited in vain is a reason to look, also while no caller waits', async t => {
  const { db, fallSilent, speakAgain } = await openQuiet(t);
  fallSilent();
  await assert.rejects(db.probe.query('select'), { code: 'database_unavailable' });
  await until('the silence to be known', () => db.isSilent());
  speakAgain();
  await until('the database to answer', () => !db.isSilent());
  assert.deepEqual(await read(db), [{ one: 1 }]);
});

test('a database that answers others is not silent, however long one caller waits', async t => {
  const { db, databaseUrl } = await openQuiet(t);
  const holder = await sessionOn(t, databaseUrl);
  await open(db, 'held');
  await holder.query(`begin; select from accounts where id = 'held' for update`);
  const waiting = withWorkKind('POST /payments', () =>
    db.transaction(tx => tx.query(`update accounts set created_at = now() where id = 'held' returning id`)),
  );
  const ended = watchEnds({ waiting });
  // Longer than the silence of a server would be taken for one.
  for (const endMs = performance.now() + 1_500; performance.now() < endMs; ) await holder.query('select pg_sleep(0.1)');
  assert.deepEqual([ended.size, db.isSilent()], [0, false]);
  await holder.query('rollback');
  assert.deepEqual(await waiting, [{ id: 'held' }]);
});
