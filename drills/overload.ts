// npm run drill:overload [-- <seconds of each>]: a node that may answer 64 requests at a time. First 64 callers, then five times as
// many, then 64 again: what it cannot take it refuses early with 503 `overloaded` and Retry-After, and what it takes is answered as
// before. Then callers with slow headers, bodies and reads, idle connections and streams that nobody reads: memory stays bounded
// and others are served. Speed is printed and never judged. Leaves with exit code 1 when an answer is another one, an acknowledged
// write is lost or memory grows. `control` at the end: no limit for requests at a time, and the drill must miss the refusals.
import { createCallers } from '../bench/callers.ts';
import type { RunningProgram } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { prove } from './nodes/prove.ts';
import { type Callers, createLoad, type Figures } from './overload/callers.ts';
import { kindsOf, startSlow } from './overload/slow.ts';
import { memoryOf, print } from './print.ts';

const isControl = process.argv.at(-1) === 'control';
const [SECONDS = 20] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (!Number.isSafeInteger(SECONDS) || SECONDS < 5) {
  process.stderr.write('usage: npm run drill:overload -- [<seconds of each, at least 5>] [control]\n');
  process.exit(2);
}

const MAX_IN_FLIGHT = 64;
const TIMES = 5;
/** Beside callers that are slow. */
const OTHERS = 8;
/** What slow callers may cost: a connection a few KiB, an answer or a page of events that nobody takes some more. */
const MORE_MIB = 400;

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

  if (!isControl) for (const kind of kindsOf(callers)) wrong.push(...(await besideSlow(kind, load, node, once)));
  const { lost, doubled } = await prove(db, { charges: load.charges, payments: new Map() });
  print('writes acknowledged', load.charges.size);
  print('lost', lost.length);
  print('doubled', doubled.length);
  wrong.unshift(...lost, ...doubled);
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  if (isControl) return five.refused === 0 ? 0 : 1;
  return wrong.length === 0 ? 0 : 1;
}

/** Returns what was wrong while some were slow. */
async function besideSlow(
  kind: ReturnType<typeof kindsOf>[number],
  load: Callers,
  node: RunningProgram,
  once: Figures,
): Promise<string[]> {
  const before = memoryOf(node);
  const slow = await startSlow(node.url, kind);
  try {
    const figures = await load.call(OTHERS, SECONDS);
    show(kind.name, figures, once, node);
    process.stdout.write(`  of ${slow.count} connections ${slow.open()} are kept\n`);
    const wrong = figures.faults.map(line => `${kind.name}: ${line}`);
    if (figures.served === 0) wrong.push(`${kind.name}: nobody else was served`);
    if (figures.refused > 0) wrong.push(`${kind.name}: ${figures.refused} others were refused`);
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
