// npm run drill -- week [<charges per second> <days> <share>]: the life of a busy service, day after day, moved by the clock of a sandbox.
// All days at the full rate would be sixty million charges in a week, so a share of them is run. Everything that is pruned is pruned after
// a day, so that the tables reach their final size well before the end. Prints sizes, times and memory at the end of each day, the
// last day beside the first, and what the full rate would need by arithmetic. Exits with code 1 when something was lost, doubled, not
// delivered, late or not removed; when ledger or audit log are wrong; or when the last day is not level with the second:
// memory at most half more, and the median time of each request at most three times as long, since the machine may be busy; or when a
// table that is pruned has more than one and a half times as many rows of a charge in the last two days as in days 3 and 4. The size of
// tables is printed and not judged: boletos stay open over holidays, and with them their events.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CHARGE_ACCOUNTS, createCallers } from '../bench/callers.ts';
import { formatMs, formatRatio, percentileOf } from '../bench/figures.ts';
import type { RunningProgram } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import type { Sql } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { proveMoney } from './nodes/prove.ts';
import { type PaidReceiver, registerWebhook, startPaidReceiver } from './nodes/receiver.ts';
import { memoryOf, print, printChecks, printResult, printWrong } from './print.ts';
import { moveClock, sequentialScans } from './sandbox-clock.ts';
import { until } from './until.ts';
import { type Day, LOAD, rowsRatios, whatIsNotLevel } from './week/level.ts';
import { type Life, startLife } from './week/life.ts';
import { LARGE_TABLES, readSizes, whatIsNotArchived } from './week/tables.ts';

const [PER_SECOND = 100, DAYS = 7, SHARE = 0.0002] = process.argv.slice(2).map(Number);
const AN_HOUR = Math.round(PER_SECOND * 3_600 * SHARE);
if (!Number.isSafeInteger(DAYS) || DAYS < 1 || !(SHARE > 0 && SHARE <= 1) || !(AN_HOUR >= 1)) {
  process.stderr.write(
    'usage: npm run drill -- week [<charges per second> <days> <share of them that is run, such as 0.0002>]\n',
  );
  process.exit(2);
}

const SEED = 23;
const HOURS = 24;
const KEEP = 'P1D';
const DAY_SECONDS = 86_400;
const SLACK_SECONDS = 600;
/** Older lines of the audit log should be in the archive. */
const AUDIT_ARCHIVED_WITHIN_SECONDS = DAY_SECONDS + SLACK_SECONDS;
/** Older events should be there, and older rows removed: both in steps of days. */
const REMOVED_WITHIN_SECONDS = 2 * DAY_SECONDS + SLACK_SECONDS;
const OLDEST = 'trilho_oldest_row_seconds';
const REMOVED_KINDS = ['idempotency_keys', 'deliveries'];
const PATIENCE_MS = 15 * 60_000;
const MB = 1_000_000;

await withDrillDatabase('week', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { db, url, dir, log } = at;
  await migrate({ db, log });
  const archive = path.join(dir, 'archive');
  await mkdir(archive);
  const env = { DATABASE_URL: url, TRILHO_MODE: 'sandbox', TRILHO_ARCHIVE_DIR: archive };
  const callers = await createCallers(url, 'sandbox', CHARGE_ACCOUNTS);
  const service = await startTrilho({ dir, url: () => url }, 'postgres', {
    mode: 'sandbox',
    env: { ...env, ...keepEverything(KEEP), TRILHO_RATE_LIMIT: '0' },
  });
  const receiver = await startPaidReceiver();
  await registerWebhook(service.url, receiver);
  const life = startLife(service.url, callers, SEED);
  const days: Day[] = [];
  const wrong: string[] = [];
  process.stdout.write(`${AN_HOUR} charges an hour for ${DAYS} days: ${SHARE} of ${PER_SECOND} a second\n`);
  // The first requests of a process are slow, and would make later days look better.
  let now = await moveClock(service.url, 'PT0S');
  await life.liveAnHour(now, AN_HOUR * 3);
  now = await moveClock(service.url, 'PT1H');
  life.takeTimes();
  for (let day = 1; day <= DAYS; day++) {
    const before = { charges: life.charges.size, scans: await sequentialScans(db, LARGE_TABLES) };
    let moveMs = 0;
    for (let hour = 0; hour < HOURS; hour++) {
      await life.liveAnHour(now, AN_HOUR);
      const startedMs = performance.now();
      now = await moveClock(service.url, 'PT1H');
      moveMs += performance.now() - startedMs;
    }
    wrong.push(...(await whatIsNotRemoved(db, service, now)).map(line => `day ${day}: ${line}`));
    days.push({
      ...(await readSizes(db)),
      oldest: await metricsOf(service, OLDEST),
      charges: life.charges.size - before.charges,
      times: life.takeTimes(),
      memory: memoryOf(service),
      scans: scansSince(before.scans, await sequentialScans(db, LARGE_TABLES)),
      moveSeconds: moveMs / 1_000,
    });
    printDay(day, days.at(-1)!);
  }
  printRatios(days);
  printWhole(days, life.charges.size, await metricsOf(service, 'trilho_rows_removed_total'));
  wrong.push(...(await whatIsLost(db, life, receiver, now)), ...whatIsNotLevel(days));
  await service.stop();
  receiver.stop();
  wrong.push(...(await printChecks(env, archive)), ...life.faults);
  printWrong(wrong);
  return wrong.length === 0 ? 0 : 1;
}

function keepEverything(keep: string): Record<string, string> {
  const kinds = ['EVENTS', 'AUDIT', 'IDEMPOTENCY_KEYS', 'QUOTES', 'DELIVERIES', 'NOTIFICATIONS', 'JOBS'];
  return Object.fromEntries(kinds.map(kind => [`TRILHO_KEEP_${kind}`, keep]));
}

function scansSince(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): Map<string, number> {
  const scans = [...after].map(([table, count]): [string, number] => [table, count - (before.get(table) ?? 0)]);
  return new Map(scans.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}

async function metricsOf({ url }: RunningProgram, name: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const found = text.matchAll(new RegExp(`^${name}\\{kind="(\\w+)"\\} (\\S+)$`, 'gm'));
  return new Map([...found].map(([, kind = '', value]) => [kind, Number(value)]));
}

/** The service looks every minute of real time, in which many simulated hours have passed: it is waited for. */
async function whatIsNotRemoved(db: Sql, service: RunningProgram, now: Date): Promise<string[]> {
  const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
  const limits = { audit: ago(AUDIT_ARCHIVED_WITHIN_SECONDS), events: ago(REMOVED_WITHIN_SECONDS) };
  let faults: string[] = [];
  const isRemoved = async () => {
    const oldest = await metricsOf(service, OLDEST);
    faults = REMOVED_KINDS.flatMap(kind => {
      const seconds = oldest.get(kind);
      if (seconds === undefined) return `${OLDEST} does not report ${kind}`;
      return seconds > REMOVED_WITHIN_SECONDS ? `old ${kind} were not removed` : [];
    });
    faults.push(...(await whatIsNotArchived(db, limits)));
    return faults.length === 0;
  };
  await until(isRemoved, PATIENCE_MS);
  return faults;
}

/** Acknowledged writes are there, once; every payment was delivered to the receiver. */
async function whatIsLost(db: Sql, life: Life, { paidAt }: PaidReceiver, now: Date): Promise<string[]> {
  const undelivered = () => [...life.payments.values()].filter(id => !paidAt.has(id));
  await until(() => undelivered().length === 0, PATIENCE_MS);
  const { lost, doubled } = await proveMoney(db, life);
  const late = await db.query<{ text: string }>(
    `select kind || ' of charge ' || charge_id as text from charge_timers where at < $1`,
    [now],
  );
  const { acknowledged, longestGapMs } = life.tally;
  printResult({ faultsInjected: 0, acknowledged: acknowledged(), lost, doubled, longestGapMs: longestGapMs() });
  print('charges, payments, refunds', `${life.charges.size}, ${life.payments.size}, ${life.refunds.size}`);
  print('payments not delivered to the webhook', undelivered().length);
  print('timers after their time', late.length);
  return [
    ...lost.map(line => `lost: ${line}`),
    ...doubled.map(line => `doubled: ${line}`),
    ...undelivered().map(id => `not delivered: payment of ${id}`),
    ...late.map(({ text }) => `not done in time: ${text}`),
  ];
}

function printDay(number: number, day: Day): void {
  const speed = LOAD.map(name => {
    const taken = day.times.get(name) ?? [];
    return `${name} p50 ${formatMs(percentileOf(taken, 0.5))} p99 ${formatMs(percentileOf(taken, 0.99))}`;
  });
  const { pruned, kept, jobs, rest, each, deadRows, liveRows, oldest, memory, scans, charges, moveSeconds } = day;
  const listed = <T>(items: ReadonlyMap<string, T>, format: (value: T) => string | number) =>
    [...items].map(([name, value]) => `${name} ${format(value)}`).join(', ') || 'none';
  process.stdout.write(
    [
      `day ${number}: ${charges} charges, clock moved in ${moveSeconds.toFixed(1)} s, memory ${memory} MiB`,
      `  ${speed.join('; ')}`,
      `  pruned tables ${megabytes(pruned)}, kept forever ${megabytes(kept)}, jobs ${megabytes(jobs)}, others ${megabytes(rest)}; ` +
        `${deadRows} dead rows beside ${liveRows}`,
      `  pruned tables: ${listed(each, megabytes)}`,
      `  their rows: ${listed(day.rows, String)}; charges that are open ${day.openCharges}, that have ended ${day.endedCharges}`,
      `  oldest rows, h: ${listed(oldest, seconds => Math.round(seconds / 3_600))}`,
      `  sequential scans: ${listed(scans, String)}`,
      '',
    ].join('\n'),
  );
}

function printRatios(days: readonly Day[]): void {
  const [first, last] = [days[0]!, days.at(-1)!];
  process.stdout.write(`day ${days.length} : day 1\n`);
  for (const name of LOAD) {
    const ratios = [0.5, 0.99].map(share => {
      const [before, after] = [first, last].map(({ times }) => percentileOf(times.get(name) ?? [], share));
      return `p${share * 100} ${formatRatio(after! / before!)}`;
    });
    print(`  ${name}`, ratios.join(', '));
  }
  print('  memory', formatRatio(last.memory / first.memory));
  print('  the clock, a day', formatRatio(last.moveSeconds / first.moveSeconds));
  // By then a whole day of rows was removed.
  const level = days[Math.min(2, days.length - 1)]!;
  print(`  pruned tables, to day ${days.indexOf(level) + 1}`, formatRatio(last.pruned / level.pruned));
  for (const [table, ratio] of rowsRatios(days))
    print(`  rows of a charge in ${table}, to days 3 and 4`, formatRatio(ratio));
}

/** By arithmetic: nothing was measured at the full rate. */
function printWhole(days: readonly Day[], charges: number, removed: ReadonlyMap<string, number>): void {
  const last = days.at(-1)!;
  const perCharge = last.kept / charges;
  const whole = PER_SECOND * 86_400 * DAYS;
  process.stdout.write(`the whole, ${PER_SECOND} charges a second, by arithmetic\n`);
  print('  charges', whole);
  print('  kept forever, kB of a charge', (perCharge / 1_000).toFixed(1));
  print('  kept forever, GB', ((perCharge * whole) / 1e9).toFixed(0));
  print(`  pruned tables at ${KEEP}, GB`, (last.pruned / SHARE / 1e9).toFixed(0));
  for (const [kind, count] of removed) {
    if (count > 0) print(`  ${kind} to remove, a second`, Math.round((count / charges) * PER_SECOND));
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / MB).toFixed(1)} MB`;
}
