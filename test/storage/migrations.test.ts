// The promises of `migrate`. Nodes that start at once, databases that are refused and older PostgreSQL servers are in
// test/process/server.deep.test.ts; databases of older versions in upgrade.test.ts; tables that stay in use in migrations.deep.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import { migrateCommand } from '../../src/cli/migrate.ts';
import { applyMigrations, isMigrated, migrate } from '../../src/storage/migrate.ts';
import { readMigrations } from '../../src/storage/migrations.ts';
import { runCommand } from '../harness/commands.ts';
import { connectTo, TEMPLATE, type TestDatabase } from '../harness/databases.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { withRelease } from '../harness/releases.ts';
import { tablesOf, withDatabase, withEmptyDatabase } from './with-database.ts';

test('every migration is applied once, in order, and a second run changes nothing', () =>
  withEmptyDatabase(async db => {
    const { log, lines } = recordingLog();
    await migrate({ db, log });
    assert.deepEqual(
      lines.map(line => JSON.parse(line).migration),
      (await readMigrations()).map(({ name }) => name),
    );
    assert.ok(await isMigrated(db));

    const recorded = () => db.query('select name, sha256, applied_at, xmin from schema_migrations order by name');
    const before = await recorded();
    await migrate({ db, log });
    assert.deepEqual(await recorded(), before);
  }));

test('a failing migration leaves the database unchanged, and can be run again', () =>
  withEmptyDatabase(async db => {
    // In the way of a late migration.
    await db.query('create table sandbox_clock ()');
    await assert.rejects(migrate({ db, log: silentLog }), { code: '42P07' });
    assert.deepEqual(await tablesOf(db), ['sandbox_clock', 'schema_migrations']);
    assert.deepEqual(await db.query('select from schema_migrations'), []);
    assert.equal(await isMigrated(db), false);

    await db.query('drop table sandbox_clock');
    await migrate({ db, log: silentLog });
    assert.ok(await isMigrated(db));
  }));

test('a migration that cannot get a lock lets others pass, logs it, and retries until it gets the lock', () =>
  withRelease('0.2.0-live', async (db, database) => {
    // As a backup does, for as long as it takes.
    const [backup, caller] = await Promise.all([connectTo(database), connectTo(database)]);
    const { log, lines } = recordingLog();
    try {
      await backup.sql.query('begin');
      await backup.sql.query('select from charges');
      const [{ pid }] = (await backup.sql.query('select pg_backend_pid() as pid')) as [{ pid: number }];
      const migrating = migrate({ db, log });
      const isWaiting = async () =>
        (await caller.sql.query('select from pg_locks where not granted and relation = $1::regclass', ['charges']))
          .length > 0;
      while (!(await isWaiting())) await immediate();
      // Behind the migration. It would wait for as long as the backup takes.
      await caller.sql.query(`set statement_timeout = '60s'`);
      assert.equal((await caller.sql.query('select from charges')).length, 3);
      while (!lines.some(line => line.includes('did not get a lock in time'))) await immediate();
      assert.match(lines.join(''), new RegExp(`pid ${pid} since \\d{4}-`));
      assert.equal(await isMigrated(db), false);
      await backup.sql.query('commit');
      await migrating;
      assert.ok(await isMigrated(db));
    } finally {
      await Promise.all([backup.client.end(), caller.client.end()]);
    }
  }));

const planOf = async ({ url }: TestDatabase) =>
  (await runCommand(migrateCommand, { DATABASE_URL: url }, ['--plan'])).said;

test('trilho migrate --plan lists missing migrations with their descriptions, and changes nothing', () =>
  withEmptyDatabase(async (db, database) => {
    assert.match(await planOf(database), /^This database is new: \d+ migrations will make its tables/);

    const migrations = await readMigrations();
    const [applied, missing] = [migrations.slice(0, 9), migrations.slice(9)];
    await db.transaction(tx => applyMigrations(tx, applied, silentLog));
    const { client, sql } = await connectTo(database);
    try {
      await sql.query('begin');
      // A plan that needed a table of the service would wait for it.
      await sql.query('lock table charges, payments in access exclusive mode');
      const [{ pid }] = (await sql.query('select pg_backend_pid() as pid')) as [{ pid: number }];
      const isLong =
        'select from pg_stat_activity where pid = $1 and xact_start < clock_timestamp() - interval $$300ms$$';
      while ((await db.query(isLong, [pid])).length === 0) await immediate();
      const said = await planOf(database);
      assert.deepEqual(
        [...said.matchAll(/^(\d{4}_\S+\.sql): \S/gm)].map(([, name]) => name),
        missing.map(({ name }) => name),
      );
      assert.match(said, /^0010_boletos\.sql: Boletos that a bank registers from files: .*, files from banks\.$/m);
      assert.match(said, new RegExp(`^Open for longer than 300 ms: pid ${pid} since `, 'm'));
    } finally {
      await client.end();
    }
    await migrate({ db, log: silentLog });
    assert.match(await planOf(database), /^The schema is up to date\.$/m);
  }));

test('a database with unknown migrations is refused: it is of a newer version or of a development version', () =>
  withDatabase(TEMPLATE, async db => {
    const refusal = /belongs to a newer Trilho .* or to a development version before 0\.2\.0/;
    const refused = (name: string) =>
      assert.rejects(
        migrate({ db, log: silentLog }),
        ({ message }: Error) => message.includes(name) && refusal.test(message),
      );

    await db.query(`insert into schema_migrations (name, sha256) values ('9999_future.sql', 'x')`);
    await refused('9999_future.sql');

    // A development version had a migration of a name that is still used, with another text.
    await db.query(`delete from schema_migrations where name <> '0002_accounts.sql'`);
    await db.query(`update schema_migrations set sha256 = 'x'`);
    await db.query(`insert into schema_migrations (name, sha256) values ('0003_charges.sql', 'x')`);
    await refused('0003_charges.sql');
  }));
