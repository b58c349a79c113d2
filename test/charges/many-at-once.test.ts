// What is done for many at once must cost each of them no more than it costs one: counted in pairs of rows that a join of the
// database compares in vain, since time would depend on the machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { lockCharges, markSubmitted, updateCharges } from '../../src/charges/store.ts';
import type { Row, Sql } from '../../src/storage/database.ts';
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
  // Nearly all were sent long ago, and so the statistics say.
  await sql.query(
    `insert into charge_methods (charge_id, account_id, method, rail, status, instrument, updated_at, submitted_at)
     select id, account_id, method, 'sandbox', 'CREATING', '{}', created_at, created_at
       from charges, unnest(array['boleto', 'pix']) method`,
  );
  await sql.query('vacuum (analyze) charges, charge_methods');
  // As what many share is planned.
  await sql.query(`set plan_cache_mode = force_generic_plan`);
});
after(async () => {
  await client.end();
  await database.drop();
});

type Node = {
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
};

/** A parameter as `execute` takes it. */
function literalOf(value: unknown): string {
  const text = (item: unknown) => (item instanceof Date ? item.toISOString() : String(item));
  return Array.isArray(value) ? `{${value.map(item => (item === null ? 'null' : text(item))).join(',')}}` : text(value);
}

let explained = 0;

/** How many pairs of rows the statements of `work` compare in vain. */
async function comparedInVain(work: (sql: Sql) => Promise<unknown>): Promise<number> {
  let compared = 0;
  let last: Promise<unknown> = Promise.resolve();
  const count = (node: Node): number =>
    (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'] +
    (node.Plans ?? []).reduce((sum, inner) => sum + count(inner), 0);
  async function explain(text: string, values: readonly unknown[]): Promise<void> {
    const name = `explained_${++explained}`;
    const given = values.map(value => client.escapeLiteral(literalOf(value))).join(', ');
    await sql.query(`prepare ${name} as ${text}`);
    await sql.query('savepoint before');
    const [row] = await sql.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `explain (analyze, format json) execute ${name} (${given})`,
    );
    compared += count(row!['QUERY PLAN'][0].Plan);
    await sql.query('rollback to before');
  }
  await work({
    query: <R extends Row>(text: string, values: readonly unknown[] = []) => {
      // One after the other, also those that are said at once: each must be undone alone.
      const said = last.then(() => explain(text, values)).then(() => sql.query<R>(text, values));
      last = said;
      return said;
    },
  });
  return compared;
}

test('methods are marked and charges written for many at once without comparing each with each', async () => {
  await sql.query('begin');
  const rows = await sql.query<{ id: string }>('select id from charges order by created_at desc limit $1', [MANY / 2]);
  const ids = rows.map(({ id }) => id);
  await sql.query('update charge_methods set submitted_at = null where charge_id = any($1)', [ids]);
  const charges = await lockCharges(sql, ids);
  const submissions = charges.flatMap(charge => charge.methods.map(({ method }) => ({ charge, method })));
  assert.equal(submissions.length, MANY);

  const noting = await comparedInVain(async tx => {
    const isFirst = await markSubmitted(tx, submissions, NOW);
    assert.ok(submissions.every(({ charge, method }) => isFirst(charge, method)));
  });
  const isFirstAgain = await markSubmitted(sql, submissions, NOW);
  assert.ok(!submissions.some(({ charge, method }) => isFirstAgain(charge, method)), 'what was marked is not new');
  const active = charges.map(charge => ({ ...charge, state: 'ACTIVE' as const, eventCount: 2 }));
  const moments = active.map(() => NOW);
  const writing = await comparedInVain(tx => updateCharges(tx, active, moments));
  await sql.query('rollback');

  assert(noting <= MANY, `noting ${MANY} compared ${noting} pairs in vain`);
  assert(writing <= MANY, `writing ${MANY} compared ${writing} pairs in vain`);
});
