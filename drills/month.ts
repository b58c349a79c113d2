// npm run drill:month [-- <charges>]: a hundred thousand open charges, and the sandbox clock moved by a month. Prints how long
// it took, the memory of the service, and how often a table was scanned sequentially.
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const TABLES = ['charges', 'charge_methods', 'charge_timers', 'payments', 'refunds', 'events'];

const log = createLog('warn', process.stderr);
const dataDir = await mkdtemp(path.join(tmpdir(), 'trilho-month-'));
const embedded = await startEmbeddedPostgres({ dataDir, log });
const { host = '' } = embedded.connection;
const databaseUrl = `postgres:///postgres?host=${encodeURIComponent(host)}&user=trilho`;
const config = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, TRILHO_DEMO: 'off' });
// No workers: only the move of the clock runs what is due, so only that is measured.
const app = await startApp(config, log, { work: false });
const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();

try {
  await seed();
  const scansBefore = await sequentialScans();
  const memoryBefore = residentMegabytes();
  let memoryPeak = memoryBefore;
  const sampling = setInterval(() => {
    memoryPeak = Math.max(memoryPeak, residentMegabytes());
  }, 250);
  const started = performance.now();
  await moveClock(`${app.url}/sandbox/clock`);
  const seconds = (performance.now() - started) / 1000;
  clearInterval(sampling);
  const scansAfter = await sequentialScans();
  const states = await client.query(
    'select state, count(*)::int as charges from charges group by state order by state',
  );
  const events = await client.query('select count(*)::int as count from events');
  print(
    `moved a month over ${COUNT} charges in ${seconds.toFixed(1)} s: ${Math.round(events.rows[0].count / seconds)} steps per second`,
  );
  print(`memory ${memoryBefore} MB before, ${memoryPeak} MB at the peak, ${residentMegabytes()} MB after`);
  for (const { state, charges } of states.rows) print(`${charges} ${state}`);
  for (const table of TABLES) {
    print(`${table}: ${scansAfter.get(table)! - scansBefore.get(table)!} sequential scans`);
  }
} finally {
  await client.end();
  await app.stop();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function residentMegabytes(): number {
  return Math.round(process.memoryUsage.rss() / 1024 / 1024);
}

/** Registered charges as the service writes them, due within the next month; half of them expire within it too. */
async function seed(): Promise<void> {
  print(`writing ${COUNT} charges`);
  await client.query(`insert into accounts (id, created_at) values ('acme', now())`);
  await client.query(
    `create temporary table plan as
       select n, gen_random_uuid() as id, date_trunc('milliseconds', now()) + n * interval '28 days' / $1 as due
         from generate_series(1, $1::int) n`,
    [COUNT],
  );
  await client.query(`
    insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, fine_percent, interest_percent,
                         due_at, expire_at, content_hash, answer, created_at, state, event_count)
    select id, 'acme', 15990, 'BRL', 15990, '{"name":"Maria da Silva","document":"52998224725","type":"individual"}', 2, 1,
           due, due + case when n % 2 = 0 then interval '1 hour' else interval '90 days' end, sha256(id::text::bytea), '{}',
           date_trunc('milliseconds', now()), 'ACTIVE', 2
      from plan`);
  await client.query(`
    insert into charge_methods (charge_id, account_id, method, rail, status, reference, instrument, updated_at)
    select id, 'acme', method, 'sandbox', case method when 'pix' then 'ACTIVE' else 'REGISTERED' end,
           '', '{"emv":"","barcode":"","digitableLine":""}', now()
      from plan, unnest(array['boleto', 'pix']) method`);
  await client.query(`
    insert into charge_timers (charge_id, account_id, kind, at)
    select id, account_id, 'overdue', due_at from charges union all select id, account_id, 'expire', expire_at from charges`);
  // Some have a payment and a refund, so that no table is empty.
  await client.query(`
    insert into payments (id, account_id, charge_id, method, rail, amount_cents, paid_at, source, reference, timing, is_repeat, recorded_at)
    select gen_random_uuid(), 'acme', id, 'pix', 'sandbox', 1, now(), 'drill', id::text, 'on_time', true, now() from plan where n % 10 = 0`);
  await client.query(`
    insert into refunds (id, account_id, charge_id, payment_id, amount_cents, status, content_hash, created_at, updated_at)
    select gen_random_uuid(), 'acme', charge_id, id, 1, 'FAILED', '', now(), now() from payments`);
  await client.query('analyze');
}

/** By `request`, because `fetch` gives up after five minutes, which a busy machine needs. */
async function moveClock(url: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const headers = { 'content-type': 'application/json' };
  request(url, { method: 'POST', headers }, answer => answer.resume().on('end', () => resolve(answer.statusCode)))
    .on('error', reject)
    .end(JSON.stringify({ advance: 'P1M' }));
  const status = await promise;
  if (status !== 200) throw new Error(`the clock answered ${status}`);
}

async function sequentialScans(): Promise<Map<string, number>> {
  await client.query('select pg_stat_clear_snapshot()');
  const { rows } = await client.query(
    'select relname, seq_scan::int as scans from pg_stat_user_tables where relname = any($1)',
    [TABLES],
  );
  return new Map(rows.map(({ relname, scans }) => [relname, scans]));
}
