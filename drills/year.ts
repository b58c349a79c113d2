// npm run drill -- year [<subscriptions>] [<months>]: a hundred thousand monthly subscriptions with one, six and twelve months of cycles in
// the tables. At each size nothing is due for a minute, then the sandbox clock moves by a day: cycles are charged, others fall past due,
// charges are reminded of. Prints what PostgreSQL read for each; exits with code 1 when a statement of the service read twice as much for a
// charge at the last size as at the first, when an idle sweep did, or when a table that grows with the months was read from end to end.
import type pg from 'pg';
import { withClient } from '../bench/database-server.ts';
import { startApp } from '../src/app.ts';
import { readConfig } from '../src/config/config.ts';
import { createLog } from '../src/lib/log.ts';
import type { Sql } from '../src/storage/database.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { print, printWrong } from './print.ts';
import { moveClock } from './sandbox-clock.ts';
import { addMonths, DAYS, DAYS_AHEAD, makeSubscriptions } from './year/make-year.ts';
import { countStatements, type Reads, readsOf } from './year/reads.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
/** The first and the last are compared. */
const MONTHS = (process.argv[3] ?? '1,6,12').split(',').map(Number);
/** With fewer, reading a whole table can be the cheapest way. */
const MIN_COUNT = 10_000;
const areMonths = MONTHS.length > 1 && MONTHS.every((months, at) => months > (MONTHS[at - 1] ?? 0) && months <= 12);
if (!Number.isSafeInteger(COUNT) || COUNT < MIN_COUNT || !areMonths) {
  process.stderr.write(`usage: npm run drill -- year [<subscriptions, at least ${MIN_COUNT}>] [<months, 1,6,12>]\n`);
  process.exit(2);
}
const IDLE_MOVES = 60;
const MAX_RATIO = 2;
/** Statements that read less than this for a charge are not compared: a page more is a level of an index. */
const MIN_PAGES = 2;
/** Those that grow with the months. */
const TABLES =
  'subscription_cycles charges charge_methods charge_timers payments events event_positions reminders'.split(' ');

type Size = { readonly months: number; readonly charges: number; readonly idle: Reads; readonly day: Reads };

await withDrillDatabase('year', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { db, url } = at;
  await countStatements(at);
  // No workers: only the move of the clock runs what is due, so only that is measured.
  const config = readConfig({ PORT: '0', DATABASE_URL: url, TRILHO_DEMO: 'off' });
  const app = await startApp(config, createLog('error', process.stderr), { work: false });
  try {
    await grow(client => makeSubscriptions(client, COUNT));
    const sizes: Size[] = [];
    let done = 0;
    for (const months of MONTHS) {
      const from = done + 1;
      await grow(client => addMonths(client, from, months));
      done = months;
      if (sizes.length === 0) await remindBeforeDue(app.url);
      sizes.push({ months, ...(await measure()) });
      process.stderr.write(`${months} months\n`);
    }
    const wrong = printSizes(sizes);
    printWrong(wrong);
    return wrong.length === 0 ? 0 : 1;
  } finally {
    await app.stop();
  }

  /** Without triggers: what they check is right, and the counts for the lists are not measured here. */
  async function grow(make: (client: pg.Client) => Promise<void>): Promise<void> {
    await withClient(url, async client => {
      await client.query(`begin; set local session_replication_role = replica`);
      await make(client);
      await client.query('commit');
      await client.query('vacuum analyze');
    });
  }

  async function measure(): Promise<Omit<Size, 'months'>> {
    const start = await moveClock(app.url, 'PT1S');
    const idle = await readsOf(db, TABLES, async () => {
      for (let move = 0; move < IDLE_MOVES; move++) await moveClock(app.url, 'PT1S');
    });
    const before = await countCharges(db, start);
    const reads = await readsOf(db, TABLES, async () => void (await moveClock(app.url, 'P1D')));
    return { charges: (await countCharges(db, start)) - before, idle, day: reads };
  }
}

async function remindBeforeDue(url: string): Promise<void> {
  for (const rule of [{ when: 'before', days: DAYS_AHEAD }, { when: 'paid' }]) {
    const answer = await fetch(`${url}/reminders/rules`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accountId: 'acme', channels: ['event'], ...rule }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  }
}

async function countCharges(sql: Sql, since: Date): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'select count(*)::int as count from charges where created_at >= $1',
    [since],
  );
  return row!.count;
}

/** Returns what grows. */
function printSizes(sizes: readonly Size[]): string[] {
  const perCharge = ({ day, charges }: Size, text: string) => (day.pages.get(text) ?? 0) / charges;
  print('subscriptions', COUNT);
  for (const size of sizes) {
    print(`with ${size.months} months: charges of a day`, size.charges);
    print('  seconds', size.day.seconds.toFixed(0));
    print('  pages read for each of them', (sum(size.day.pages) / size.charges).toFixed(0));
    print('  pages read by an idle move', (sum(size.idle.pages) / IDLE_MOVES).toFixed(0));
  }
  const [first, last] = [sizes[0]!, sizes.at(-1)!];
  for (const text of [...last.day.pages.keys()].slice(0, 15)) {
    process.stdout.write(
      `${sizes.map(size => perCharge(size, text).toFixed(1).padStart(7)).join('')}  ${text.slice(0, 110)}\n`,
    );
  }
  const due = Math.floor(COUNT / DAYS);
  return [
    ...sizes
      .filter(({ charges }) => charges < due)
      .map(({ months, charges }) => `${months} months: ${charges} charges, not ${due}`),
    ...[...last.day.pages.keys()]
      .filter(text => perCharge(last, text) > Math.max(MIN_PAGES, MAX_RATIO * perCharge(first, text)))
      .map(text => `reads more: ${text}`),
    ...(sum(last.idle.pages) > MAX_RATIO * sum(first.idle.pages) ? ['an idle sweep reads more'] : []),
    ...sizes.flatMap(({ months, idle, day }) =>
      [...idle.scanned, ...day.scanned].map(
        ([table, rows]) => `${months} months: ${table} was read from end to end, ${rows} rows`,
      ),
    ),
  ];
}

function sum(pages: ReadonlyMap<string, number>): number {
  return [...pages.values()].reduce((total, each) => total + each, 0);
}
