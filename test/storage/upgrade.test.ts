// Databases from before the baseline. That a service continues with them is tested in releases.deep.test.ts.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { migrateCommand } from '../../src/cli/migrate.ts';
import { HEADER } from '../../src/storage/backup/format.ts';
import { openBackup } from '../../src/storage/backup/load.ts';
import { readTar } from '../../src/storage/backup/tar.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { isMigrated, migrate, missingMigrations } from '../../src/storage/migrate.ts';
import { appliedMigrations, readMigrations } from '../../src/storage/migrations.ts';
import { catalogOf } from '../harness/catalog.ts';
import { runCommand } from '../harness/commands.ts';
import { connectTo, TEMPLATE } from '../harness/databases.ts';
import { wrongCounts } from '../harness/listed-rows.ts';
import { silentLog } from '../harness/log.ts';
import { readReleaseFile, withRelease } from '../harness/releases.ts';
import { tablesOf, withDatabase } from './with-database.ts';

const OLDER = ['0.2.0-live', '0.2.0-sandbox', 'last-snapshot-live', 'last-snapshot-sandbox'];

test('a released migration is never edited', async () => {
  const lines = readFileSync(path.join(import.meta.dirname, '../fixtures/released-migrations.sha256'), 'utf8');
  const released = lines.trimEnd().split('\n');
  const present = (await readMigrations()).map(({ name, sha256 }) => `${sha256}  migrations/${name}`);
  assert.deepEqual(present.slice(0, released.length), released);
});

describe('a database of an older version has the schema of a new one, and the same records', () => {
  for (const name of OLDER) {
    test(name, () =>
      withRelease(name, async (db, { url }) => {
        assert.equal(await isMigrated(db), false);
        const { said } = await runCommand(migrateCommand, { DATABASE_URL: url }, ['--plan']);
        assert.match(
          said,
          /^upgrades\/(0\.2\.0: A database of 0\.2\.0|last-snapshot: The tables are already those of 1\.0\.0)/m,
        );
        await migrate({ db, log: silentLog });
        assert.ok(await isMigrated(db));
        assert.deepEqual(await missingMigrations(db), []);
        await withDatabase(TEMPLATE, async fresh => {
          assert.deepEqual(await catalogOf(db), await catalogOf(fresh));
          assert.deepEqual(await appliedMigrations(db), await appliedMigrations(fresh));
        });
        await mergeCounts({ db });
        assert.deepEqual(await wrongCounts(db), []);
      }),
    );
  }
});

const WAY =
  /development version between 0\.2\.0 and 1\.0\.0: .*start the last of these versions on it once, then this one/;

test('a database of a version in between is refused, and so is its backup, with the upgrade path', async () => {
  await withRelease('last-snapshot-live', async db => {
    await db.query(`delete from schema_migrations where name > '0093'`);
    await assert.rejects(migrate({ db, log: silentLog }), { message: WAY });
    await assert.rejects(missingMigrations(db), { message: WAY });
  });

  async function* inBetween() {
    for await (const entry of readTar(oneChunk(readReleaseFile('last-snapshot-sandbox.backup.tar.gz')))) {
      const header = entry.name === HEADER ? JSON.parse(entry.bytes.toString()) : undefined;
      header?.migrations.pop();
      yield header ? { ...entry, bytes: Buffer.from(JSON.stringify(header)) } : entry;
    }
  }
  await assert.rejects(openBackup(inBetween()), { message: WAY });
});

async function* oneChunk(bytes: Buffer) {
  yield bytes;
}

test('an upgrade is one transaction: one that fails, or is interrupted, leaves the database unchanged', () =>
  withRelease('0.2.0-sandbox', async (db, database) => {
    const before = await catalogOfTables(db);
    await db.query('create view sums_of_somebody as select sum(amount_cents) from payments');
    await assert.rejects(migrate({ db, log: silentLog }), { code: '2BP01' });
    await db.query('drop view sums_of_somebody');
    assert.deepEqual(await catalogOfTables(db), before);
    assert.equal((await appliedMigrations(db)).size, 13);

    const { client, sql } = await connectTo(database);
    try {
      await sql.query('begin');
      await sql.query('select from webhooks');
      const migrating = migrate({ db, log: silentLog });
      // It has renamed all other tables when it needs this one.
      const waiting = `select pg_terminate_backend(pid) from pg_locks
                        where not granted and relation = 'webhooks'::regclass and mode = 'AccessExclusiveLock'`;
      while ((await sql.query(waiting)).length === 0) await immediate();
      assert.deepEqual(await catalogOfTables(sql), before);
      await sql.query('commit');
      await migrating;
    } finally {
      await client.end();
    }
    assert.ok(await isMigrated(db));
  }));

const catalogOfTables = async (sql: Parameters<typeof catalogOf>[0]) =>
  (
    await sql.query<{ line: string }>(
      `select schemaname || '.' || tablename as line from pg_tables where schemaname !~ '^(pg_|information_schema)'
       union all select indexdef from pg_indexes where schemaname = 'public'`,
    )
  )
    .map(({ line }) => line)
    .sort();

test('payments of 0.2.0 that were recorded once for each spelling of their reference stay, and remain distinct', () =>
  withRelease('0.2.0-live', async db => {
    await db.query(`
      insert into accounts (id, created_at) values ('first', now()), ('other', now());
      insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, due_at, expire_at, content_hash,
                           answer, created_at)
        values ('00000000-0000-4000-8000-000000000001', 'first', 1, 'BRL', 1, '{}', now(), now(), '', '{}', now()),
               ('00000000-0000-4000-8000-000000000002', 'other', 1, 'BRL', 1, '{}', now(), now(), '', '{}', now());
      insert into charge_methods (charge_id, account_id, method, rail, status, instrument, updated_at)
        select id, account_id, 'pix', 'pix-key', 'PAID', '{"txid": "T1"}', now() from charges where payable_cents = 1;
      insert into payments (id, account_id, charge_id, method, amount_cents, paid_at, source, reference, timing, is_repeat,
                            recorded_at)
        select gen_random_uuid(), account_id, id, 'pix', 1, now(), 'operator', reference, 'on_time', false, now()
          from charges, unnest(array['E1', 'e1', ' E1 ', 'E' || chr(8203) || '１', 'E2' || account_id, account_id || '  ' || chr(8203) || 'E3']) as reference
         where payable_cents = 1;
      insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
        select reference, now(), 1, '', now() from unnest(array['N  1', 'N 1', 'Ｎ  2', chr(8203)]) as reference`);
    await migrate({ db, log: silentLog });
    const rows = await db.query<{ reference: string }>('select reference from payments where amount_cents = 1');
    const references = rows.map(({ reference }) => reference);
    assert.equal(references.length, 12);
    assert.equal(references.filter(reference => /^e1$/i.test(reference)).length, 1);
    assert.equal(references.filter(reference => /^e1 [0-9a-f-]{36}$/i.test(reference)).length, 7);
    assert.ok(references.includes('E2first') && references.includes('E2other'));
    assert.ok(references.includes('first E3') && references.includes('other E3'));
    const receipts = await db.query<{ reference: string }>('select reference from unmatched_receipts');
    assert.deepEqual(receipts.map(({ reference }) => reference).sort(), ['N  1', 'N 1', 'N 2', '\u200b']);
    assert.deepEqual(
      (await db.query(`select reference, instrument from charge_methods where reference = 'T1'`)) as unknown[],
      [1, 2].map(() => ({ reference: 'T1', instrument: {} })),
    );
    assert.ok((await tablesOf(db)).includes('payments'));
  }));

test('keys created on the command line of 0.2.0 still reach all accounts if their scopes do', () =>
  withRelease('0.2.0-live', async db => {
    await db.query(`
      insert into api_keys (id, account_id, scopes, secret_hash, created_at)
        select id, (select id from accounts limit 1), array[scope], decode(repeat('01', 32), 'hex'), now()
          from (values ('aaaaaaaaaaaa', 'payments:write'), ('bbbbbbbbbbbb', 'charges:read'), ('cccccccccccc', 'payments:write')) k (id, scope);
      insert into audit_inbox (id, at, actor, action, object_id, status)
        select gen_random_uuid(), date_trunc('milliseconds', now()), 'operator', 'trilho keys create', id, 201
          from unnest(array['aaaaaaaaaaaa', 'bbbbbbbbbbbb']) id`);
    await migrate({ db, log: silentLog });
    assert.deepEqual(
      await db.query(`select id, reach, created_by from api_keys where id ~ '^(a+|b+|c+)$' order by id`),
      [
        { id: 'aaaaaaaaaaaa', reach: 'all_accounts', created_by: 'operator' },
        { id: 'bbbbbbbbbbbb', reach: 'account', created_by: 'operator' },
        { id: 'cccccccccccc', reach: 'account', created_by: null },
      ],
    );
  }));
