// Work for many at once must cost no more per item than for one: counted in pairs of rows that a join compares and discards,
// since time would depend on the machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { lockCharges, updateCharges } from '../../src/charges/store/charges.ts';
import { markSubmitted } from '../../src/charges/store/sent.ts';
import type { Sql } from '../../src/storage/database.ts';
import { discardedRows } from '../harness/compared-rows.ts';
import { connectTo, createDatabase, type TestDatabase } from '../harness/databases.ts';
import { insertCharges } from '../harness/listed-rows.ts';

const CHARGES = 3_000;
const MANY = 200;
const NOW = new Date('2026-03-01T12:00:00Z');

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
before(async () => {
  database = await createDatabase();
  ({ client, sql } = await connectTo(database));
  await sql.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
  await insertCharges(sql, CHARGES, `timestamptz '2026-01-01Z' + n * interval '1 minute'`);
  // Nearly all were sent long ago, as the statistics know.
  await sql.query(
    `insert into charge_methods (charge_id, account_id, method, rail, status, reference, updated_at, submitted_at)
     select id, account_id, method, 'sandbox', 'CREATING', id::text, created_at, created_at
       from charges, unnest(array['boleto', 'pix']) method`,
  );
  await sql.query('vacuum (analyze) charges, charge_methods');
  // With the generic plan, which many executions share.
  await sql.query(`set plan_cache_mode = force_generic_plan`);
});
after(async () => {
  await client.end();
  await database.drop();
});

test('methods are marked and charges written for many at once without comparing each with each', async () => {
  await sql.query('begin');
  const rows = await sql.query<{ id: string }>('select id from charges order by created_at desc limit $1', [MANY / 2]);
  const ids = rows.map(({ id }) => id);
  await sql.query('update charge_methods set submitted_at = null where charge_id = any($1)', [ids]);
  const charges = await lockCharges(sql, ids);
  const submissions = charges.flatMap(charge => charge.methods.map(({ method }) => ({ charge, method })));
  assert.equal(submissions.length, MANY);

  const marking = await discardedRows(client, async tx => {
    const isFirst = await markSubmitted(tx, submissions, NOW);
    assert.ok(submissions.every(({ charge, method }) => isFirst(charge, method)));
  });
  const isFirstAgain = await markSubmitted(sql, submissions, NOW);
  assert.ok(
    !submissions.some(({ charge, method }) => isFirstAgain(charge, method)),
    'a marked method is not submitted again',
  );
  const active = charges.map(charge => ({ ...charge, state: 'ACTIVE' as const, eventCount: 2 }));
  const moments = active.map(() => NOW);
  const writing = await discardedRows(client, tx => updateCharges(tx, active, moments));
  await sql.query('rollback');

  assert(marking <= MANY, `marking ${MANY} discarded ${marking} pairs`);
  assert(writing <= MANY, `writing ${MANY} discarded ${writing} pairs`);
});
