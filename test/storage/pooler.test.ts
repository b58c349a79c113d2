// A pooler between the service and its database: settings that it drops are reported at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartError } from '../../src/lib/errors.ts';
import { connect } from '../../src/storage/connect.ts';
import { asAdmin, createDatabase } from '../harness/databases.ts';
import { startDroppingWire } from '../harness/dropping-wire.ts';
import { silentLog } from '../harness/log.ts';
import { startService } from '../harness/service.ts';

test('a pooler that drops session settings is refused until the database role has them', async context => {
  const database = await createDatabase();
  const wire = await startDroppingWire(database.url);
  context.after(async () => {
    await wire.close();
    await database.drop();
  });
  const connection = { connectionString: wire.url };
  await assert.rejects(connect({ connection, log: silentLog }), (error: Error) => {
    assert.ok(error instanceof StartError);
    assert.match(
      error.message,
      /drop settings of a session: set pool_mode = session and .*; see «Behind a pooler» in docs\/servers\.md/,
    );
    return true;
  });

  const name = new URL(wire.url).pathname.slice(1);
  for (const setting of [
    `timezone = 'UTC'`,
    `statement_timeout = '4s'`,
    `idle_in_transaction_session_timeout = '30s'`,
  ]) {
    await asAdmin(`alter database ${name} set ${setting}`);
  }
  const db = await connect({ connection, log: silentLog });
  await db.close();
});

test('so is one in front of the database of DATABASE_READ_URL', async context => {
  const database = await createDatabase();
  const wire = await startDroppingWire(database.url);
  context.after(async () => {
    await wire.close();
    await database.drop();
  });
  await assert.rejects(
    startService({ env: { DATABASE_URL: database.url, DATABASE_READ_URL: wire.url } }),
    /options in DATABASE_READ_URL, drop settings of a session: set pool_mode = session and .*«Behind a pooler»/,
  );
});
