// npm run drill -- overload [<seconds of each>]: a node that may answer 64 requests at a time. First 64 callers, then five times as
// many, then 64 again: excess requests are refused early with 503 `overloaded` and Retry-After, and the others are answered as
// before. Then callers with slow headers, bodies and reads, idle connections and streams that are not read: memory stays bounded
// and others are served. Exits with code 1 on any other answer, when an acknowledged write is lost, memory grows, or a stream is not
// cut. Speed is compared within the run, with wide limits: at five times the load a served request takes at most five times as long
// (p99), a refusal is faster than a served request, and afterwards at least half as many are served as before. `control` at the end: no limit for
// requests at a time, and the drill must miss the refusals.
import { createCallers } from '../bench/callers.ts';
import type { RunningProgram } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import type { Sql } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { prove } from './nodes/prove.ts';
import { type Callers, createLoad, type Figures } from './overload/callers.ts';
import { type Kind, kindsOf, startSlow } from './overload/slow.ts';
import { memoryOf, printResult, printWrong } from './print.ts';
import { until } from './until.ts';

const isControl = process.argv.at(-1) === 'control';
const [SECONDS = 20] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (!Number.isSafeInteger(SECONDS) || SECONDS < 5) {
  process.stderr.write('usage: npm run drill -- overload [<seconds of each, at least 5>] [control]\n');
  process.exit(2);
}

const MAX_IN_FLIGHT = 64;
const TIMES = 5;
/** Beside callers that are slow. */
const OTHERS = 8;
/** The allowed memory of slow callers: a few KiB per connection, more for an answer or a page of events that is not read. */
const MORE_MIB = 400;
const MOST_P99 = 5;
const LEAST_RATE = 0.5;
/** To fill the buffers of 200 streams, 800 MB of events are read; only then a stream waits. */
const FILL_LIMIT_MS = 5 * 60_000;
/** More than the buffers of two sockets hold. With a smaller feed no stream is cut off. */
const OVERFLOW_BYTES = 8_000_000;

await withDrillDatabase('overload', drill);

async function drill({ db, log, url, dir }: DrillDatabase): Promise<number> {
  await migrate({ db, log });
  const callers = await createCallers(url, 'live', ['shop-1', 'shop-2']);
  const env = { TRILHO_MAX_IN_FLIGHT: isControl ? '0' : String(MAX_IN_FLIGHT) };
  const node = await startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live', env });
  const load = createLoad(node.url, callers);
  await load.call(MAX_IN_FLIGHT, SECONDS / 4);

  const wrong: string[] = [];
  process.stdout.write(
    `${row('', 'served', 'refused', 'served/s', 'p99, ms', 'ratio', 'p99 refused', 'memory, MiB')}\n`,
  );
  const once = await load.call(MAX_IN_FLIGHT, SECONDS);
  show('1 ×', once, once, node);
  const five = await load.call(MAX_IN_FLIGHT * TIMES, SECONDS);
  show(`${TIMES} ×`, five, once, node);
  const after = await load.call(MAX_IN_FLIGHT, SECONDS);
  show('1 × again', after, once, node);
  wrong.push(...once.faults, ...five.faults, ...after.faults);
  if (five.served === 0) wrong.push(`${TIMES} ×: nothing was served`);
  if (five.refused === 0) wrong.push(`${TIMES} ×: nothing was refused`);
  if (once.refused + after.refused > 0) wrong.push('callers were refused without overload');
  wrong.push(...whatIsSlow(once, five, after));

  const kinds = isControl ? [] : kindsOf(callers);
  const overflows = async () => (await largestFeed(db)) > OVERFLOW_BYTES;
  for (const kind of kinds) wrong.push(...(await besideSlow(kind, load, node, once, overflows)));
  const { lost, doubled } = await prove(db, { charges: load.charges, payments: new Map() });
  const [acknowledged, longestGapMs] = [load.tally.acknowledged(), load.tally.longestGapMs()];
  printResult({ faultsInjected: 1 + kinds.length, acknowledged, lost, doubled, longestGapMs });
  wrong.unshift(...lost, ...doubled);
  if (node.hasEnded()) wrong.unshift('the node ended by itself');
  printWrong(wrong);
  if (isControl) return five.refused === 0 ? 0 : 1;
  return wrong.length === 0 ? 0 : 1;
}

/** It refuses early, keeps its times for accepted requests, and recovers at once. */
function whatIsSlow(once: Figures, five: Figures, after: Figures): string[] {
  const wrong: string[] = [];
  if (five.servedP99 > once.servedP99 * MOST_P99) wrong.push(`${TIMES} ×: p99 is more than ${MOST_P99} times as long`);
  if (five.refused > 0 && five.refusedP99 >= five.servedP99)
    wrong.push(`${TIMES} ×: a refusal takes as long as an answer`);
  if (after.rate < once.rate * LEAST_RATE) wrong.push('afterwards less than half as much is served as before');
  return wrong;
}

/** Bytes of the events of the account that has most of them. */
async function largestFeed(db: Sql): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    'select max(bytes) as bytes from (select sum(length(object::text)) as bytes from events group by account_id) feeds',
  );
  return Number(row?.bytes ?? 0);
}

/** Returns the faults while some callers were slow. */
async function besideSlow(
  kind: Kind,
  load: Callers,
  node: RunningProgram,
  once: Figures,
  overflows: () => Promise<boolean>,
): Promise<string[]> {
  const before = memoryOf(node);
  const slow = await startSlow(node.url, kind);
  try {
    const { isCutAfterSeconds } = kind;
    const figures = await load.call(OTHERS, SECONDS);
    const areCut = isCutAfterSeconds !== undefined && (await overflows());
    if (areCut) await until(() => slow.open() === 0, FILL_LIMIT_MS + isCutAfterSeconds * 1_000);
    show(kind.name, figures, once, node);
    process.stdout.write(`  of ${slow.count} connections ${slow.open()} are kept\n`);
    const wrong = figures.faults.map(line => `${kind.name}: ${line}`);
    if (figures.served === 0) wrong.push(`${kind.name}: no other caller was served`);
    if (figures.refused > 0) wrong.push(`${kind.name}: ${figures.refused} others were refused`);
    if (areCut && slow.open() > 0) wrong.push(`${kind.name}: ${slow.open()} were not cut off`);
    if (isCutAfterSeconds !== undefined && !areCut)
      process.stdout.write('  too few events to fill the buffers: whether a stream is cut off is not judged\n');
    const more = memoryOf(node) - before;
    if (more > MORE_MIB) wrong.push(`${kind.name}: ${more} MiB more`);
    return wrong;
  } finally {
    slow.stop();
  }
}

function show(name: string, figures: Figures, once: Figures, node: RunningProgram): void {
  const { served, refused, rate, servedP99, refusedP99 } = figures;
  const ratio = (servedP99 / once.servedP99).toFixed(2);
  const cells = [served, refused, rate.toFixed(0), servedP99.toFixed(0), ratio, refusedP99.toFixed(0), memoryOf(node)];
  process.stdout.write(`${row(name, ...cells)}\n`);
}

function row(name: string, ...cells: readonly (number | string)[]): string {
  return name.padEnd(26) + cells.map(cell => String(cell).padStart(13)).join('');
}
