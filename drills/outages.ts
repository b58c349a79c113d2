// npm run drill -- outages [<seconds of each> [control] [--without root] [--without faketime]]: a service under load whose database is
// stopped, silent, full, read-only, locked or has no connection left, and whose clock is stepped. Each time callers are answered, or
// refused with 503 and Retry-After within about five seconds; memory stays flat; and the service goes on by itself. Exits with code 1 when a
// promise was broken, an acknowledged write was lost, or a fault could not be tried. `control`: the database acknowledges before it has
// written, so the drill must see a loss, and leaves with 1 when it sees none.
// A small disk needs root, a clock that can be moved `faketime`: sh drills/install.sh. `--without` names what may be missing.
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createCallers } from '../bench/callers.ts';
import type { RunningProgram } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import type { Sql } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { type Machine, watchMachine } from './machine.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { type Fault, faultsOf, NEEDS, stepClock } from './outages/faults.ts';
import { type Asked, GROUPS, type Watch, watch } from './outages/watch.ts';
import { memoryOf, print, printChecks, printResult, printWrong } from './print.ts';

const { values, positionals } = parseArgs({
  options: { without: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
});
const isControl = positionals.at(-1) === 'control';
const [SECONDS = 25] = positionals.filter(word => word !== 'control').map(Number);
if (!Number.isSafeInteger(SECONDS) || SECONDS < 20 || !values.without.every(word => word in NEEDS)) {
  const flags = Object.keys(NEEDS).map(need => `[--without ${need}]`);
  process.stderr.write(
    `usage: npm run drill -- outages [<seconds of each, at least 20>] [control] ${flags.join(' ')}\n`,
  );
  process.exit(2);
}

const DISK_BYTES = 1024 ** 3;
/** Five seconds for a connection, or for a silent server. */
const PROMISED_MS = 6_000;
/** Callers that got a connection late wait for the table as well. */
const PROMISED_WHILE_LOCKED_MS = 10_000;
const LIVE_LIMIT_MS = 1_000;
const READY_LIMIT_MS = 2_500;
const LATE_SHARE = 0.05;
const RECOVERY_LIMIT_MS = 90_000;
const QUIET_MS = 5_000;
const LOOK_MS = 100;
/** Of memory: the allowed growth of a busy process, and MiB on top. */
const FLAT = 1.5;
const FLAT_MORE = 64;

await withDrillDatabase('outages', drill, { diskBytes: DISK_BYTES });

async function drill(at: DrillDatabase): Promise<number> {
  const { db, log, url, dir } = at;
  await migrate({ db, log });
  if (isControl) await acknowledgeEarly(db);
  const callers = await createCallers(url, 'live', ['shop-1', 'shop-2']);
  const clock = stepClock(dir);
  const node = await startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live', env: { ...clock?.env } });
  const load = startLoad({ callers, atOnce: 8, seed: 23, urls: () => [node.url] });
  const watched = await watch(node.url, callers[0]!);
  const machine = await watchMachine(dir);
  await wait(QUIET_MS);
  const memoryBefore = memoryOf(node);
  const memoryLimit = memoryBefore * FLAT + FLAT_MORE;

  const wrong: string[] = [];
  let injected = 0;
  process.stdout.write(
    `${row('fault', 'served', 'refused', 'slowest, ms', 'late', '/livez, ms', 'machine, ms', 'back after, ms', 'memory, MiB')}\n`,
  );
  for (const fault of faultsOf(at, clock).slice(0, isControl ? 1 : undefined)) {
    const { name, lacks } = fault;
    if (lacks !== undefined) {
      process.stdout.write(`${name}: not tried, needs ${lacks}: ${NEEDS[lacks]}\n`);
      if (!values.without.includes(lacks)) wrong.push(`${name}: not tried, and there is no --without ${lacks}`);
      continue;
    }
    injected++;
    wrong.push(...(await suffer(fault, { node, watched, machine, memoryLimit })));
    await wait(QUIET_MS);
  }
  await load.stop();
  await watched.stop();
  const memoryAfter = memoryOf(node);
  if (memoryAfter > memoryLimit) wrong.push(`memory grew from ${memoryBefore} to ${memoryAfter} MiB`);
  const charges = new Map([...load.charges, ...watched.charges]);
  const { lost, doubled } = await prove(db, { ...load, charges });
  const acknowledged = charges.size + load.payments.size;
  printResult({ faultsInjected: injected, acknowledged, lost, doubled, longestGapMs: load.longestGapMs() });
  print('requests sent again', load.repeats());
  print('memory before and after, MiB', `${memoryBefore}, ${memoryAfter}`);
  wrong.push(...(await printChecks({ DATABASE_URL: url, TRILHO_MODE: 'live' })));
  wrong.unshift(...lost, ...doubled, ...load.faults);
  printWrong(wrong);
  if (isControl) return lost.length > 0 ? 0 : 1;
  return wrong.length === 0 ? 0 : 1;
}

type Suffering = {
  readonly node: RunningProgram;
  readonly watched: Watch;
  readonly machine: Machine;
  /** MiB. */
  readonly memoryLimit: number;
};

/** Returns the promises that were broken. */
async function suffer(fault: Fault, { node, watched, machine, memoryLimit }: Suffering): Promise<string[]> {
  watched.take();
  const startedMs = performance.now();
  let memory = 0;
  const sampled = setInterval(() => {
    if (!node.hasEnded()) memory = Math.max(memory, memoryOf(node));
  }, LOOK_MS);
  const end = await fault.begin();
  await wait(SECONDS * 1_000);
  const { served, refused, slowestLiveMs, slowestReadyMs, asked, lastReady, faults } = watched.take();
  // The time of an idle server is not the service's.
  const machineMs = machine.slowestMs(startedMs);
  const endedMs = performance.now();
  await end();
  const backMs = await whenBack(node.url, watched);
  clearInterval(sampled);

  const limitMs = (fault.isLock ? PROMISED_WHILE_LOCKED_MS : PROMISED_MS) + machineMs;
  const isLate = ({ tookMs }: Asked) => tookMs > limitMs;
  const late = asked.filter(isLate);
  const slowestMs = Math.max(0, ...asked.map(({ tookMs }) => tookMs));
  const back = backMs === undefined ? 'never' : Math.round(backMs - endedMs);
  const times = [slowestLiveMs, machineMs].map(Math.round);
  const cells = [served, refused, Math.round(slowestMs), late.length, ...times, back, memory];
  process.stdout.write(`${row(fault.name, ...cells)}\n`);
  const wrong = faults.map(line => `${fault.name}: ${line}`);
  for (const group of GROUPS) {
    const own = asked.filter(one => one.group === group);
    const ownLate = own.filter(isLate).length;
    if (own.length === 0) wrong.push(`${fault.name}: no ${group} was answered`);
    // A few may be the machine's.
    if (ownLate > own.length * LATE_SHARE)
      wrong.push(`${fault.name}: ${ownLate} of ${own.length} answers to a ${group} later than promised`);
  }
  if (served + refused === 0) wrong.push(`${fault.name}: no caller was answered`);
  if (fault.refuses && refused === 0) wrong.push(`${fault.name}: no caller was refused, so the fault did not happen`);
  if (lastReady !== (fault.isUnready ? 503 : 200)) wrong.push(`${fault.name}: /readyz answered ${lastReady} at last`);
  const isOver = (tookMs: number, limit: number) => tookMs > limit + machineMs;
  if (isOver(slowestLiveMs, LIVE_LIMIT_MS)) wrong.push(`${fault.name}: /livez took ${Math.round(slowestLiveMs)} ms`);
  if (isOver(slowestReadyMs, READY_LIMIT_MS))
    wrong.push(`${fault.name}: /readyz took ${Math.round(slowestReadyMs)} ms`);
  if (memory > memoryLimit) wrong.push(`${fault.name}: memory grew to ${memory} MiB`);
  if (backMs === undefined) wrong.push(`${fault.name}: the service did not come back`);
  return wrong;
}

/** When every request succeeds again and the node is ready. */
async function whenBack(url: string, watched: Watch): Promise<number | undefined> {
  const limit = performance.now() + RECOVERY_LIMIT_MS;
  while (performance.now() < limit) {
    const beganMs = performance.now();
    watched.take();
    await wait(LOOK_MS * 10);
    const { served, refused } = watched.take();
    const { status } = await fetch(`${url}/readyz`);
    if (served > 0 && refused === 0 && status === 200) return beganMs;
  }
  return undefined;
}

/** And for so long before it writes that a stop hits in between. */
async function acknowledgeEarly(db: Sql): Promise<void> {
  await db.query('alter database postgres set synchronous_commit = off');
  await db.query(`alter system set wal_writer_delay = '10s'`);
  await db.query('select pg_reload_conf()');
}

function row(name: string, ...cells: readonly (number | string)[]): string {
  return name.padEnd(26) + cells.map(cell => String(cell).padStart(15)).join('');
}
