// Invented orders, the same in every run: two years of them, evenly spread, most of them fulfilled, the newest in progress.
// One account owns nine tenths, so that a live caller has a long list; 49 others share the rest.
import { spawnSync } from 'node:child_process';
import type pg from 'pg';
import type { Mode } from '../src/lib/mode.ts';
import { type Caller, createCallers } from './callers.ts';
import { type DatabaseServer, withClient } from './database-server.ts';
import { formatCount } from './figures.ts';
import { cleanEnvironment, ROOT } from './programs.ts';
import type { Report } from './report.ts';

export const FIRST_MOMENT = new Date('2024-11-01T00:00:00Z');
export const LAST_MOMENT = new Date('2026-11-01T00:00:00Z');
const BATCH_SIZE = 100_000;
const PROGRESS_EVERY_MS = 15_000;
const ACCOUNTS = 50;
const LARGEST_ACCOUNT = 'bench-0';

export const COLUMNS = `id, account_id, status, symbol, network, quantity, currency, cost, price, wallet_id, wallet_address,
  wallet_name, settlement_schedule, settlement_date, created_at, updated_at`;

/**
 * Rows $1 to $2 of $3, oldest first. A row that is `ended` is not in the list. `offset 0` makes PostgreSQL compute each
 * expression once instead of at every use, which is three times as fast.
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
             case when n % 10 = 0 then 'bench-' || 1 + n / 10 % ${ACCOUNTS - 1} else '${LARGEST_ACCOUNT}' end as account_id,
             timestamptz 'epoch' + at_ms / 1000 * interval '1 second' + at_ms % 1000 * interval '1 millisecond' as created_at,
             string_to_array((array[
               'usdt tron', 'usdt tron', 'usdt tron', 'usdt tron', 'usdt polygon', 'usdt bsc', 'usdt ethereum',
               'usdc polygon', 'usdc base', 'usdc base', 'usdc ethereum', 'usdc arbitrum', 'eth ethereum', 'eth base',
               'trx tron', 'usdt arbitrum'])[1 + chance % 16], ' ') as pair,
             -- The newest fiftieth is in progress; of the rest a few are stuck, and some ended unpaid.
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

type Deps = { readonly server: DatabaseServer; readonly report: Report };

/** A database with orders, and who lists them: the largest account in live; no caller in the sandbox, which lists all. */
export type OrdersDatabase = { readonly database: string; readonly caller?: Caller };

/** The database with `count` orders, written unless an earlier part or a kept run has written it. */
export async function requireOrders({ server, report }: Deps, rows: number, mode: Mode): Promise<OrdersDatabase> {
  const database = `orders_${rows}`;
  if (await server.has(database)) migrate(server, database);
  else await createOrders({ server, report }, database, rows);
  const [caller] = await createCallers(server.url(database), mode, mode === 'live' ? [LARGEST_ACCOUNT] : []);
  return { database, ...(caller && { caller }) };
}

async function createOrders({ server, report }: Deps, database: string, rows: number): Promise<void> {
  // Under another name until it is complete: an interrupted run leaves nothing that looks complete.
  const draft = `${database}_draft`;
  const url = server.url(draft);
  await createMigrated(server, draft);
  await withClient(url, async client => {
    await client.query('alter table orders disable trigger user');
    await client.query('insert into accounts (id, created_at) select $1 || n, $2 from generate_series(0, $3) n', [
      'bench-',
      FIRST_MOMENT,
      ACCOUNTS - 1,
    ]);
    // The triggers would record every row for the counts of the list; doing it at once is a hundred times faster.
    await client.query('alter table orders disable trigger user');
    await fillOrders({ report }, client, { name: 'orders', rows, extraColumns: 'ended_as, ended_at' }, [
      COLUMNS,
      `case when ended then 'expired' end`,
      'case when ended then updated_at end',
    ]);
    await client.query('alter table orders enable trigger user');
    report.progress('counting them');
    await client.query(COUNT_ORDERS);
    await client.query('select split_list_buckets($1)', [2n ** 63n - 1n]);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  });
  await server.rename(draft, database);
}

/** Counts all orders on the first level of the tree; splitting counts the parts. */
const COUNT_ORDERS = `
  with first_buckets as (
    insert into list_counts (list, account_id, label, state, level, bucket, row_count)
    select r.list, case when r.by_account then t.account_id else '' end, case when r.by_label then t.label else '' end,
           case when r.by_state then t.state else '' end, 0, 0, sum(t.row_count)
      from (select account_id, label, state, count(*) as row_count from listed_orders group by account_id, label, state) t
      join list_rollups r on r.list = 'orders' and r.only_for_large is null
     group by r.list, r.by_account, r.by_label, r.by_state, 2, 3, 4
    returning *)
  insert into list_buckets_to_split (list, account_id, label, state, level, bucket)
  select list, account_id, label, state, level, bucket from first_buckets where row_count > split_threshold()`;

type Filling = {
  readonly name: string;
  readonly rows: number;
  /** Columns beside those of every table of orders. */
  readonly extraColumns?: string;
  readonly where?: string;
};

/** Writes orders in batches. Drops the indexes first and creates them when the rows are there, which is faster. */
export async function fillOrders(
  { report }: Pick<Deps, 'report'>,
  client: pg.Client,
  { name, rows, extraColumns, where = '' }: Filling,
  columns: readonly string[],
): Promise<void> {
  report.progress(`writing ${formatCount(rows)} ${name}`);
  const startedAt = performance.now();
  let reportedAt = startedAt;
  const { rows: indexes } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid = 'orders'::regclass
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
  );
  for (const index of indexes) await client.query(`drop index ${index.name}`);
  for (let first = 1; first <= rows; first += BATCH_SIZE) {
    const last = Math.min(first + BATCH_SIZE - 1, rows);
    await client.query(
      `insert into orders (${COLUMNS}${extraColumns === undefined ? '' : `, ${extraColumns}`})
       select ${columns.join(', ')} from (${ROWS}) made ${where}`,
      [first, last, rows],
    );
    if (performance.now() - reportedAt < PROGRESS_EVERY_MS) continue;
    reportedAt = performance.now();
    report.progress(`  ${last} of ${rows}, ${Math.round((last / (reportedAt - startedAt)) * 1000)} per second`);
  }
  for (const { definition } of indexes) await client.query(definition);
  await client.query('vacuum (analyze)');
  await client.query('checkpoint');
}

/** A database with the service's schema and no data. */
export async function createMigrated(server: DatabaseServer, database: string): Promise<void> {
  await server.create(database);
  migrate(server, database);
}

function migrate(server: DatabaseServer, database: string): void {
  const env = { ...cleanEnvironment(), DATABASE_URL: server.url(database) };
  const done = spawnSync(process.execPath, ['bin/trilho.js', 'migrate'], { cwd: ROOT, env, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`trilho migrate: ${done.stderr}`);
}
