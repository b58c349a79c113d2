// Balances of the ledger and pages of instructions to banks are read as fast among many rows as among few, and are exact while others
// write and merge. Counted in pages of the database, since time would depend on the machine. More rows: LIST_ROWS=100000.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { readInstructionPage } from '../../src/charges/bank-files/store-lists.ts';
import { readBalances } from '../../src/ledger/store-read.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { mergeCounts } from '../../src/storage/merge-counts.ts';
import { connectTo, createDatabase, type TestDatabase } from '../harness/databases.ts';
import { insertCharges } from '../harness/listed-rows.ts';
import { silentLog } from '../harness/log.ts';
import { pagesTouched } from '../harness/pages-touched.ts';
import { scaled } from '../harness/scale.ts';

const FEW = scaled(3_000, 300);
const MANY = Number(process.env['LIST_ROWS'] ?? scaled(30_000, 6_000));
/** A deeper index; never proportional to the rows. */
const MOST_TIMES_FEW = 2;

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
let db: Database;
before(async () => {
  database = await createDatabase();
  ({ client, sql } = await connectTo(database));
  db = openDatabase({ connection: { connectionString: database.url }, log: silentLog });
  await sql.query(`insert into accounts (id, created_at) select 'account-' || n, now() from generate_series(0, 3) n`);
  await sql.query(`insert into boleto_agreements (rail, next_number) values ('a', 1), ('b', 1)`);
  await sql.query(
    `insert into boleto_files (rail, sequence, made_at, titles, sha256) values ('a', 1, now(), 1, ''), ('b', 1, now(), 1, '')`,
  );
});
after(async () => {
  await db.close();
  await client.end();
  await database.drop();
});

/** Payments of 100 of each account, and a boleto to be registered for each of as many charges, most of them in a file. */
async function fill(count: number, salt: number): Promise<void> {
  await sql.query(
    `with entry as (
       insert into ledger_entries (id, account_id, kind, cause_id, at)
       select gen_random_uuid(), 'account-' || n % 4, 'payment', gen_random_uuid(), now() from generate_series(1, $1::int) n
       returning id, account_id)
     insert into ledger_lines (entry_id, account_id, book, currency, amount)
     select entry.id, account_id, book, 'BRL', amount from entry
      cross join (values ('payer', 100), ('settled', -100)) line (book, amount)`,
    [count],
  );
  await insertCharges(sql, count, `timestamptz '2026-01-01Z' + n * interval '1 second'`, salt);
  await sql.query(
    `insert into boleto_instructions (id, account_id, charge_id, rail, movement, created_at)
     select gen_random_uuid(), account_id, id, case when random() < 0.5 then 'a' else 'b' end, 'register', now() from charges c
      where not exists (select from boleto_instructions i where i.charge_id = c.id)`,
  );
  await sql.query(
    `update boleto_instructions set sequence = 1 where sequence is null and dropped_at is null and random() < 0.9`,
  );
  await sql.query(
    `update boleto_instructions set dropped_at = now() where sequence is null and dropped_at is null and random() < 0.5`,
  );
}

const FILTERS = [
  {},
  { agreement: 'a' },
  { status: 'waiting' },
  { status: 'dropped' },
  { agreement: 'b', status: 'in_file' },
  { agreement: 'b', status: 'waiting' },
] as const;
const PAGE = { page: 1, pageSize: 20 };
/** Shorter than the table has pages among few rows: each row of it lies on a page of its own there, too. */
const SHORT_PAGE = { page: 1, pageSize: 4 };

async function assertExact(): Promise<void> {
  const { balances, sums } = await readBalances(sql, {}, 100);
  const counted = await sql.query(
    `select account_id as "accountId", book, currency, sum(amount)::text as amount from ledger_lines
      group by 1, 2, 3 order by account_id collate "C", currency collate "C", book collate "C"`,
  );
  assert.deepEqual(
    balances.map(({ accountId, book, currency, amount }) => ({ accountId, book, currency, amount: String(amount) })),
    counted,
  );
  assert.deepEqual(
    sums.map(({ amount }) => amount),
    [0n],
  );
  for (const filter of FILTERS) {
    const { agreement = null, status = null } = filter as { agreement?: string; status?: string };
    const { total, instructions } = await readInstructionPage(sql, PAGE, filter);
    const rows = await sql.query<{ id: string }>(
      `select id from (select *, case when sequence is not null then 'in_file' when dropped_at is not null then 'dropped' else 'waiting' end as status
                         from boleto_instructions) i
        where ($1::text is null or rail = $1) and ($2::text is null or status = $2) order by id desc`,
      [agreement, status],
    );
    assert.equal(total, rows.length, JSON.stringify(filter));
    assert.deepEqual(
      instructions.map(({ id }) => id),
      rows.slice(0, 20).map(({ id }) => id),
    );
  }
}

async function measure(): Promise<Map<string, number>> {
  const touched = new Map<string, number>();
  for (const filter of [{}, { accountId: 'account-1' }, { currency: 'BRL' }] as const) {
    touched.set(`balances ${JSON.stringify(filter)}`, await pagesTouched(sql, tx => readBalances(tx, filter, 100)));
  }
  for (const filter of FILTERS) {
    const read = (tx: Sql) => readInstructionPage(tx, SHORT_PAGE, filter);
    touched.set(`instructions ${JSON.stringify(filter)}`, await pagesTouched(sql, read));
  }
  return touched;
}

test('balances and instructions among many rows touch no more of the database than among few', async () => {
  const settle = async () => {
    await mergeCounts({ db });
    await sql.query('vacuum (analyze)');
  };
  await fill(FEW, 0);
  await settle();
  const few = await measure();
  await fill(MANY - FEW, 1);
  await settle();
  const many = await measure();
  if (process.env['LIST_ROWS'])
    console.table([...many].map(([name, touched]) => ({ name, few: few.get(name), many: touched })));
  const most = MOST_TIMES_FEW * Math.max(...few.values());
  for (const [name, touched] of many) {
    assert(touched <= most, `${name}: ${few.get(name)} pages of the database among few rows, ${touched} among many`);
  }
});

test('balances and totals are exact before, while and after changes are merged', async () => {
  await fill(20, 2);
  await assertExact();
  await sql.query('begin');
  await fill(20, 3);
  await mergeCounts({ db });
  await assertExact();
  await sql.query('rollback');
  await assertExact();
  await Promise.all([fill(20, 4), mergeCounts({ db }), mergeCounts({ db }), mergeCounts({ db })]);
  await sql.query('delete from boleto_instructions where dropped_at is not null and random() < 0.5');
  await assertExact();
  await mergeCounts({ db });
  await assertExact();
  assert.deepEqual(
    await sql.query('select from ledger_balance_changes union all select from boleto_instruction_changes'),
    [],
  );
});
