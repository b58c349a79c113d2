// npm run drill -- month [<charges>]: a hundred thousand open charges, and the sandbox clock moved by a month. Prints how long
// it took, the memory of the service, and how often a table was scanned sequentially.
import { startApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { createLog } from '../src/lib/log.ts';
import type { Sql } from '../src/storage/database.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { memoryOf, print } from './print.ts';
import { moveClock, sequentialScans } from './sandbox-clock.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const TABLES = ['charges', 'charge_methods', 'charge_timers', 'payments', 'refunds', 'events'];
const SAMPLE_MS = 250;

await withDrillDatabase('month', drill);

async function drill({ db, url }: DrillDatabase): Promise<number> {
  const config = readConfig({ PORT: '0', DATABASE_URL: url, TRILHO_DEMO: 'off' });
  // No workers: only the move of the clock runs what is due, so only that is measured.
  const app = await startApp(config, createLog('warn', process.stderr), { work: false });
  try {
    await db.transaction(seed, { isLong: true });
    await db.query('analyze');
    const scansBefore = await sequentialScans(db, TABLES);
    const memoryBefore = memoryOf(process);
    let memoryPeak = memoryBefore;
    const sampling = setInterval(() => {
      memoryPeak = Math.max(memoryPeak, memoryOf(process));
    }, SAMPLE_MS);
    const startedMs = performance.now();
    await moveClock(app.url, 'P1M');
    const seconds = (performance.now() - startedMs) / 1_000;
    clearInterval(sampling);
    const scansAfter = await sequentialScans(db, TABLES);
    const states = await db.query<{ state: string; charges: number }>(
      'select state, count(*)::int as charges from charges group by state order by state',
    );
    const [events] = await db.query<{ count: number }>('select count(*)::int as count from events');
    print('charges', COUNT);
    print('a month of them, s', seconds.toFixed(1));
    print('steps a second', Math.round(events!.count / seconds));
    print('memory before, peak, after, MiB', `${memoryBefore}, ${memoryPeak}, ${memoryOf(process)}`);
    for (const { state, charges } of states) print(state, charges);
    for (const table of TABLES) {
      print(`sequential scans of ${table}`, (scansAfter.get(table) ?? 0) - (scansBefore.get(table) ?? 0));
    }
    return 0;
  } finally {
    await app.stop();
  }
}

/** Registered charges as the service writes them, due within the next month; half of them also expire within it. */
async function seed(sql: Sql): Promise<void> {
  await sql.query('set local statement_timeout = 0');
  await sql.query(`insert into accounts (id, created_at) values ('acme', now())`);
  await sql.query(
    `create temporary table plan on commit drop as
       select n, gen_random_uuid() as id, date_trunc('milliseconds', now()) + n * interval '28 days' / $1 as due
         from generate_series(1, $1::int) n`,
    [COUNT],
  );
  await sql.query(`
    insert into charges (id, account_id, amount_cents, currency, payable_cents, customer, fine_percent, interest_percent,
                         due_at, expire_at, content_hash, answer, created_at, state, event_count)
    select id, 'acme', 15990, 'BRL', 15990, '{"name":"Maria da Silva","document":"52998224725","type":"individual"}', 2, 1,
           due, due + case when n % 2 = 0 then interval '1 hour' else interval '90 days' end, sha256(id::text::bytea), '{}',
           date_trunc('milliseconds', now()), 'ACTIVE', 2
      from plan`);
  await sql.query(`
    insert into charge_methods (charge_id, account_id, method, rail, status, reference, instrument, updated_at)
    select id, 'acme', method, 'sandbox', case method when 'pix' then 'ACTIVE' else 'REGISTERED' end,
           '', '{"emv":"","barcode":"","digitableLine":""}', now()
      from plan, unnest(array['boleto', 'pix']) method`);
  await sql.query(`
    insert into charge_timers (charge_id, account_id, kind, at)
    select id, account_id, 'overdue', due_at from charges union all select id, account_id, 'expire', expire_at from charges`);
  // Some have a payment and a refund, so that no table is empty.
  await sql.query(`
    insert into payments (id, account_id, charge_id, method, rail, amount_cents, paid_at, source, reference, timing, is_repeat, recorded_at)
    select gen_random_uuid(), 'acme', id, 'pix', 'sandbox', 1, now(), 'drill', id::text, 'on_time', true, now() from plan where n % 10 = 0`);
  await sql.query(`
    insert into refunds (id, account_id, charge_id, payment_id, amount_cents, status, content_hash, created_at, updated_at)
    select gen_random_uuid(), 'acme', charge_id, id, 1, 'FAILED', '', now(), now() from payments`);
}
