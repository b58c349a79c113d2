// Invented orders of crypto, as many as asked for, the same each time: two years of them, evenly through time, most of them
// fulfilled, the newest on their way.
import { spawnSync } from 'node:child_process';
import type pg from 'pg';
import { readMigrations } from '../src/storage/migrate.ts';
import { sizeWords } from './options.ts';
import type { Report } from './report.ts';
import { ROOT } from './running.ts';
import { type Stage, withClient } from './stage.ts';

export const FIRST_MOMENT = new Date('2024-11-01T00:00:00Z');
export const LAST_MOMENT = new Date('2026-11-01T00:00:00Z');
const BITE = 100_000;
const ACCOUNTS = 50;

export const COLUMNS = `id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address,
  wallet_name, settlement_schedule, settlement_date, created_at, updated_at`;

/**
 * Rows $1 to $2 of $3, in the order of time. A row that is `ended` is not in the list. `offset 0` lets PostgreSQL work each
 * expression out once and not wherever it is used, which is three times as fast.
 */
export const ROWS = `
  select id, account_id, case when ended then 'pending_payment' else status end as status,
         pair[1] as symbol, pair[2] as network,
         round(cost / price, case when pair[2] = 'bsc' or pair[1] = 'eth' then 18 else 6 end) as quantity, currency, cost,
         price, wallet_id, case pair[2] when 'tron' then 'T' || left(wallet_hash, 33) else '0x' || left(wallet_hash, 40) end
         as wallet_address, wallet_name, schedule as settlement_schedule, created_at + days * interval '1 day' as settlement_date,
         created_at, created_at + interval '45 seconds' as updated_at, ended
    from (
      select (lpad(to_hex(at_ms), 12, '0') || '7' || substr(hash, 1, 3) || '8' || substr(hash, 4, 15))::uuid as id,
             'bench-' || n % ${ACCOUNTS} as account_id,
             timestamptz 'epoch' + at_ms / 1000 * interval '1 second' + at_ms % 1000 * interval '1 millisecond' as created_at,
             string_to_array((array[
               'usdt tron', 'usdt tron', 'usdt tron', 'usdt tron', 'usdt polygon', 'usdt bsc', 'usdt ethereum',
               'usdc polygon', 'usdc base', 'usdc base', 'usdc ethereum', 'usdc arbitrum', 'eth ethereum', 'eth base',
               'trx tron', 'usdt arbitrum'])[1 + chance % 16], ' ') as pair,
             -- The last fiftieth is on its way; of the rest a few are stuck, and some ended without being paid.
             case when n > $3::bigint - $3::bigint / 50
               then (array['pending_payment', 'pending_payment', 'pending_payment', 'pending_fulfillment',
                           'fulfillment_scheduled', 'fulfillment_scheduled', 'fulfilling', 'fulfilled', 'fulfilled',
                           'fulfilled'])[1 + chance / 16 % 10]
               when chance / 16 % 1000 < 2 then 'fulfilling'
               when chance / 16 % 1000 < 4 then 'pending_fulfillment'
               else 'fulfilled' end as status,
             n <= $3::bigint - $3::bigint / 50 and chance / 16 % 1000 >= 970 as ended,
             (array['BRL', 'BRL', 'BRL', 'BRL', 'USD', 'EUR'])[1 + chance / 7 % 6] as currency,
             ((15000 + chance % 5000000)::numeric / 100)::numeric(20, 2) as cost,
             ((500 + chance / 11 % 100)::numeric / 100)::numeric(20, 2) as price,
             'wallet-' || chance / 3 % 1000 as wallet_id, 'Wallet ' || chance / 3 % 1000 as wallet_name,
             md5('wallet ' || chance / 3 % 1000) || md5('address ' || chance / 3 % 1000) as wallet_hash,
             'D' || chance / 5 % 3 as schedule, (chance / 5 % 3)::int as days
        from (
          select n, md5(n::text) as hash, ('x' || left(md5(n::text), 7))::bit(28)::int::bigint as chance,
                 ${FIRST_MOMENT.getTime()} + n * ${LAST_MOMENT.getTime() - FIRST_MOMENT.getTime()}::bigint / $3::bigint as at_ms
            from generate_series($1::bigint, $2::bigint) n
          offset 0
        ) numbers
      offset 0
    ) parts`;

type Needs = { readonly stage: Stage; readonly report: Report };

/** The last migration that must be there for rows to be written. */
const ROWS_FIT_SINCE = '0014';

/**
 * The name of a database with so many orders, which is made unless it is there. The rows are written into the schema of an
 * early version, and the later migrations bring them up to date as they do wherever a service has grown: whatever is kept
 * about rows is worked out at once and not for each.
 */
export async function seededDatabase({ stage, report }: Needs, rows: number): Promise<string> {
  const database = `orders_${rows}`;
  if (await stage.has(database)) {
    migrate(stage, database);
    return database;
  }
  // Under another name until it is whole: a run that was cut short leaves nothing that looks done.
  const draft = `${database}_draft`;
  await stage.create(draft);
  await withClient(stage.url(draft), async client => {
    await migrateUpTo(client, ROWS_FIT_SINCE);
    await client.query('insert into accounts (id, created_at) select $1 || n, $2 from generate_series(0, $3) n', [
      'bench-',
      FIRST_MOMENT,
      ACCOUNTS - 1,
    ]);
    await fill({ report }, client, { what: 'orders', rows, more: 'ended_as, ended_at' }, [
      COLUMNS,
      `case when ended then 'expired' end`,
      'case when ended then updated_at end',
    ]);
    migrate(stage, draft);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
  await stage.rename(draft, database);
  return database;
}

type Filling = { readonly what: string; readonly rows: number; readonly more?: string; readonly where?: string };

/** Fills crypto_transactions with invented rows, bite by bite; its indexes are made when the rows are there, which is faster. */
export async function fill(
  { report }: Pick<Needs, 'report'>,
  client: pg.Client,
  { what, rows, more, where = '' }: Filling,
  columns: readonly string[],
): Promise<void> {
  report.say(`writing ${sizeWords(rows)} ${what}`);
  const startedAt = performance.now();
  let saidAt = startedAt;
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid = 'crypto_transactions'::regclass
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  for (let first = 1; first <= rows; first += BITE) {
    const last = Math.min(first + BITE - 1, rows);
    await client.query(
      `insert into crypto_transactions (${COLUMNS}${more === undefined ? '' : `, ${more}`})
       select ${columns.join(', ')} from (${ROWS}) made ${where}`,
      [first, last, rows],
    );
    if (performance.now() - saidAt < 15_000) continue;
    saidAt = performance.now();
    report.say(`  ${last} of ${rows}, ${Math.round((last / (saidAt - startedAt)) * 1000)} a second`);
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
}

async function migrateUpTo(client: pg.Client, last: string): Promise<void> {
  await client.query(`
    create table schema_migrations (
      name       text primary key,
      sha256     text not null,
      applied_at timestamptz not null default now()
    )`);
  for (const { name, sql, sha256 } of await readMigrations()) {
    if (name.slice(0, last.length) > last) break;
    await client.query(sql);
    await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
  }
}

/** A database with the service's schema and no data. */
export async function emptyDatabase(stage: Stage, database: string): Promise<void> {
  await stage.create(database);
  migrate(stage, database);
}

function migrate(stage: Stage, database: string): void {
  const env = { ...process.env, DATABASE_URL: stage.url(database) };
  const done = spawnSync(process.execPath, ['bin/trilho.js', 'migrate'], { cwd: ROOT, env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`trilho migrate: ${done.stderr}`);
}
