// Nodes on one database: a piece of work is done by one of them at a time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { withLease } from '../../src/storage/leases.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';

let database: TestDatabase;
let nodes: [Database, Database];
before(async () => {
  database = await createDatabase();
  const open = () => openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  nodes = [open(), open()];
});
after(async () => {
  for (const node of nodes) await node.close();
  await database.drop();
});

const done = async () => 'done';

test('meanwhile another node does only other work; when it is done or has failed, any node may do it', async () => {
  const [one, other] = nodes;
  const end = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const first = withLease(one, 'sweeping the yard', () => {
    begun.resolve();
    return end.promise;
  });
  await begun.promise;
  assert.equal(await withLease(other, 'sweeping the yard', done), undefined);
  assert.equal(await withLease(one, 'sweeping the yard', done), undefined);
  assert.equal(await withLease(other, 'painting the gate', done), 'done');
  end.resolve('swept');
  assert.equal(await first, 'swept');
  const failure = withLease(other, 'sweeping the yard', () => Promise.reject(new Error('the broom is broken')));
  await assert.rejects(failure, /broom/);
  assert.equal(await withLease(one, 'sweeping the yard', done), 'done');
});

test('a dead node keeps its lease until it expires in the database', async () => {
  const [one] = nodes;
  const held = (until: string) =>
    one.query(
      `insert into leases values ('mowing', gen_random_uuid(), now() + $1::interval)
       on conflict (work) do update set held_until = excluded.held_until`,
      [until],
    );
  await held('1 hour');
  assert.equal(await withLease(one, 'mowing', done), undefined);
  await held('-1 second');
  assert.equal(await withLease(one, 'mowing', done), 'done');
});

test('a repeated statement after a lost answer does not lose the lease', async () => {
  const [one] = nodes;
  const repeating: Database = {
    ...one,
    query: async (...statement) => {
      await one.query(...statement);
      return one.query(...statement);
    },
  };
  assert.equal(await withLease(repeating, 'weeding', done), 'done');
});
