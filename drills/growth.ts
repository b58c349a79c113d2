// npm run drill -- growth [<events> <seconds>]: the cost of a feed of a hundred million events. Events are made by SQL; then readers page
// through the feed, charges are created, and old events are moved to the archive beside them, at a hundredth of the size and at the whole.
// Prints the times of both and their ratio; exits with code 1 when a reader did not get the requested events, when nothing was moved or
// removed, or less than a third as much of the whole as of the hundredth, or when the middle of a hundred times as many events is more
// than three times as slow.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Caller, createCallers } from '../bench/callers.ts';
import { chargeRequests } from '../bench/charge-requests.ts';
import { withClient } from '../bench/database-server.ts';
import { formatMs, formatRatio, percentileOf } from '../bench/figures.ts';
import { startTrilho } from '../bench/trilho.ts';
import { openCursors } from '../src/events/cursor.ts';
import { findPosition } from '../src/events/store-feed.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import {
  ACCOUNTS,
  EVENTS_OF_DELIVERY,
  EVENTS_OF_OBJECT,
  makeEvents,
  TABLES,
  WEBHOOK_ID,
} from './growth/make-events.ts';

const [EVENTS = 100_000_000, SECONDS = 60] = process.argv.slice(2).map(Number);
if (!Number.isSafeInteger(EVENTS) || EVENTS < 1_000_000 || !Number.isSafeInteger(SECONDS) || SECONDS < 1) {
  process.stderr.write('usage: npm run drill -- growth [<events, at least a million> <seconds of pruning>]\n');
  process.exit(2);
}

const FIRST_SHARE = 100;
const READS = 200;
const PAGE = 100;
const YEARS_MS = 2 * 365 * 86_400_000;
/** Of p50; a cost that is proportional to the events would be a hundred. */
const MAX_RATIO = 3;
/** But not longer than events, once these are moved to the archive: they go in the same run as their events. */
const KEEP_DELIVERIES = { TRILHO_KEEP_DELIVERIES: 'forever' };

type Times = Map<string, readonly number[]>;
type Gone = Readonly<Record<'events moved' | 'events removed' | 'deliveries removed', number>>;

await withDrillDatabase('growth', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const first = Math.floor(EVENTS / FIRST_SHARE);
  const small = await measureAt(at, 'small', first);
  const whole = await measureAt(at, 'whole', EVENTS);
  process.stdout.write(`${first} events (${small.size}) → ${EVENTS} events (${whole.size})\n`);
  for (const [name, times] of whole.times) print(name, small.times.get(name) ?? [], times);
  for (const what of ['events moved', 'events removed', 'deliveries removed'] as const) {
    process.stdout.write(`${what} in ${SECONDS} s: ${small.gone[what]} → ${whole.gone[what]}\n`);
  }
  const slower = [...whole.times].flatMap(([name, times]) =>
    percentileOf(times, 0.5) > MAX_RATIO * percentileOf(small.times.get(name) ?? [], 0.5) ? `${name}: not flat` : [],
  );
  const tooFew = Object.entries(whole.gone).flatMap(([what, count]) =>
    count === 0 || small.gone[what as keyof Gone] === 0 || count * MAX_RATIO < small.gone[what as keyof Gone]
      ? `${what}: too few`
      : [],
  );
  const faults = [...small.faults, ...whole.faults, ...slower, ...tooFew];
  for (const line of faults.slice(0, 20)) process.stdout.write(`${line}\n`);
  return faults.length === 0 ? 0 : 1;
}

/** In its own database. */
async function measureAt({ dir, socketDir, db: server, log }: DrillDatabase, name: string, events: number) {
  await server.query(`create database ${name}`);
  const url = `postgres:///${name}?host=${encodeURIComponent(socketDir)}&user=trilho`;
  const db = openDatabase({ connection: { connectionString: url }, log });
  try {
    await migrate({ db, log });
    const accounts = Array.from({ length: ACCOUNTS }, (_, index) => `shop-${index}`);
    const callers = await createCallers(url, 'live', accounts);
    const archive = path.join(dir, `archive-${name}`);
    await mkdir(archive);
    const start = new Date(Date.now() - YEARS_MS);
    await withClient(url, one =>
      withClient(url, other => makeEvents([one, other], { events, start, stepMs: YEARS_MS / events }, say)),
    );
    const [row] = await db.query<{ size: string }>(
      'select pg_size_pretty(sum(pg_total_relation_size(name::regclass))) as size from unnest($1::text[]) as name',
      [TABLES],
    );
    return { size: row?.size, ...(await measure({ dir, url, db }, callers, events, archive)) };
  } finally {
    await db.close();
  }
}

/** First without pruning, then beside it. */
async function measure(
  { db, dir, url }: Pick<DrillDatabase, 'db' | 'dir' | 'url'>,
  callers: readonly Caller[],
  events: number,
  archive: string,
) {
  const faults: string[] = [];
  const times: Times = new Map();
  const cursors = await openCursors(db);
  const cursorAt = async (position: number) => {
    const found = await findPosition(db, BigInt(position));
    return cursors.textOf(found ?? { position: 0n, mark: '' });
  };
  const caller = callers[0]!;
  const requests = chargeRequests('live', callers);
  const start = (env: Readonly<Record<string, string>>) =>
    startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live', env });
  const time = async (name: string, ask: () => Promise<string | undefined>, times_: number) => {
    const taken: number[] = [];
    for (let index = 0; index < times_; index++) {
      const startedMs = performance.now();
      const fault = await ask();
      taken.push(performance.now() - startedMs);
      if (fault !== undefined) faults.push(`${name}: ${fault}`);
    }
    times.set(name, [...(times.get(name) ?? []), ...taken]);
  };
  const [middle, last] = [Math.floor(events / 2), events - PAGE * ACCOUNTS * 2];
  const object = await db.query<{ object_id: string }>(`select object_id from event_positions where position = $1`, [
    middle - (middle % (EVENTS_OF_OBJECT * ACCOUNTS)) + 1,
  ]);
  const readFrom = async (at: string, query: string, least: number) => {
    const answer = await fetch(`${at}/events?limit=${PAGE}${query}`, { headers: caller.headers });
    if (answer.status !== 200) return `${answer.status} ${await answer.text()}`;
    const { events: page } = (await answer.json()) as { events: readonly unknown[] };
    return page.length >= least ? undefined : `${page.length} events instead of ${least}`;
  };
  const charge = async (at: string) => {
    const { caller: maker, text } = requests.nextText();
    const headers = { ...maker.headers, 'content-type': 'application/json' };
    const answer = await fetch(`${at}/charges`, { method: 'POST', headers, body: text });
    const body = await answer.text();
    return answer.status === 201 ? undefined : `${answer.status} ${body}`;
  };
  const list = async (at: string) => {
    const answer = await fetch(`${at}/charges?pageSize=20`, { headers: caller.headers });
    const body = await answer.text();
    return answer.status === 200 ? undefined : `${answer.status} ${body}`;
  };

  const alone = await start(KEEP_DELIVERIES);
  await time('warming up', () => charge(alone.url), READS);
  times.delete('warming up');
  const [fromMiddle, nearEnd] = [await cursorAt(middle), await cursorAt(last)];
  await time('feed, from the middle', () => readFrom(alone.url, `&after=${fromMiddle}`, PAGE), READS);
  await time('feed, near the end', () => readFrom(alone.url, `&after=${nearEnd}`, PAGE), READS);
  await time('feed, of one type', () => readFrom(alone.url, `&after=${fromMiddle}&type=charge.paid`, PAGE), READS);
  await time(
    'feed, of one object',
    () => readFrom(alone.url, `&objectId=${object[0]?.object_id}`, EVENTS_OF_OBJECT),
    READS,
  );
  await time('POST /charges', () => charge(alone.url), READS);
  await time('GET /charges', () => list(alone.url), READS);
  await alone.stop();

  const pruning = await start({ ...KEEP_DELIVERIES, TRILHO_ARCHIVE_DIR: archive, TRILHO_KEEP_EVENTS: 'P365D' });
  const endMs = performance.now() + SECONDS * 1_000;
  while (performance.now() < endMs) {
    await time('POST /charges, beside pruning', () => charge(pruning.url), 10);
    await wait(20);
  }
  await pruning.stop();
  return { times, faults, gone: await whatIsGone(db, events) };
}

/** Of the created rows; the oldest deliveries are removed first. */
async function whatIsGone(db: Database, events: number): Promise<Gone> {
  const [row] = await db.query<{ moved: string; left: string; first: string | null }>(
    `select position as moved, (select count(*) from event_positions p where p.position <= cuts.position) as left,
            (select min(position) from webhook_deliveries where webhook_id = $1) as first
       from archive_cuts cuts where kind = 'events'`,
    [WEBHOOK_ID],
  );
  const { moved, left, first } = row!;
  return {
    'events moved': Number(moved),
    'events removed': Number(moved) - Number(left),
    'deliveries removed': first === null ? events / EVENTS_OF_DELIVERY : Number(first) / EVENTS_OF_DELIVERY - 1,
  };
}

function print(name: string, small: readonly number[], whole: readonly number[]): void {
  const columns = [0.5, 0.99].map(share => {
    const [few, all] = [percentileOf(small, share), percentileOf(whole, share)];
    return `p${share * 100} ${formatMs(few)} → ${formatMs(all)} (${formatRatio(all / few)})`;
  });
  process.stdout.write(`${name.padEnd(30)} ${columns.join(', ')}\n`);
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
