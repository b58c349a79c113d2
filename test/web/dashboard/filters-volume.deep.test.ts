// Filters over more charges than one query reads: nothing is skipped, and a payer's document is found by its index.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFilteredCharges } from '../../../src/charges/store/filtered.ts';
import { SEARCHED_CHARGES } from '../../../src/charges/store/search.ts';
import type { Sql } from '../../../src/storage/database.ts';
import { textOf, view } from '../../harness/dashboard.ts';
import { insertCharges } from '../../harness/listed-rows.ts';
import { type Service, startService } from '../../harness/service.ts';

const MANY = 2 * SEARCHED_CHARGES + 500;
/** Every tenth shares its moment with others, so that reads end among charges of one moment. */
const MOMENT = `timestamptz '2026-06-01T00:00:00Z' - (n / 10) * interval '1 second'`;

let service: Service;
let sql: Sql;
before(async () => {
  service = await startService();
  sql = { query: (text, values) => service.sql(text, [...(values ?? [])]) };
  await sql.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
  await insertCharges(sql, MANY, MOMENT);
  await sql.query(
    `update charges set customer = '{"name": "Óscar Último", "document": "11144477735", "type": "individual"}'
      where id = (select id from charges order by created_at, id limit 1)`,
  );
  await sql.query('analyze charges');
});
after(() => service.stop());

const rowsIn = (page: string) =>
  [...page.matchAll(/<a class="id" href="\/dashboard\/charges\/([^"]+)"/g)].map(([, id]) => id);

test('a page says how far back it searched, and its link continues until all were searched', async () => {
  let path = '/charges?payer=oscar';
  for (let look = 0; look < 2; look++) {
    const page = await view(service, path);
    assert.deepEqual(rowsIn(page), []);
    assert.match(textOf(page), /Only the newest 20,000 charges of these days were searched, back to 1 Jun|31 May 2026/);
    const [, older = ''] = /href="\/dashboard([^"]*)">Search older ones/.exec(page) ?? [];
    path = older.replaceAll('&amp;', '&');
    assert.match(path, /payer=oscar/);
  }
  const last = await view(service, path);
  assert.equal(rowsIn(last).length, 1);
  assert.doesNotMatch(last, /Search older ones/);
});

test('a document is found at once, however old', async () => {
  const page = await view(service, '/charges?payer=111.444.777-35');
  assert.equal(rowsIn(page).length, 1);
  assert.doesNotMatch(page, /Search older ones/);
});

test('an export searches all, and writes each charge once', async () => {
  for (const [filter, count] of [
    ['payer=oscar', 1],
    ['amountFrom=1&amountTo=1', MANY],
  ] as const) {
    const text = await (await fetch(`${service.url}/dashboard/charges.csv?${filter}`)).text();
    const ids = text
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(line => line.split(',')[0]);
    assert.equal(ids.length, count, filter);
    assert.equal(new Set(ids).size, count, filter);
  }
});

test('neither reads the complete table', async () => {
  const plans: string[] = [];
  const explaining: Sql = {
    query: async (text, values) => {
      const rows = await sql.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
      plans.push(rows.map(row => row['QUERY PLAN']).join('\n'));
      return [{ total: '0', searched_to: null, id: null }] as never;
    },
  };
  const query = { page: 1, pageSize: 20 };
  await readFilteredCharges(explaining, query, { document: '11144477735' });
  await readFilteredCharges(explaining, query, { name: 'oscar', fromCents: 1, method: 'pix' });
  assert.match(plans[0]!, /Index Scan using charges_of_document/);
  for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan on charges /, plan);
});
