// npm run drill -- nodes [<kills of a node> <kills of the database> <seed> [control]]: three nodes on one database, under mixed load,
// while nodes and the database are killed. Every write that was acknowledged must be there, once; its event must reach a webhook and
// a stream; jobs of a killed node must go on within half a minute; and no node may end by itself. Prints a table; leaves with exit code 1
// when it is not so. `control`: the database acknowledges before it has written, so the drill must see a loss, and then what was made
// twice on purpose; it leaves with 1 when it misses one of them.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import type { RunningProgram } from '../bench/programs.ts';
import type { Sql } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { randomOf } from '../test/harness/random.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { watchMachine } from './machine.ts';
import { PATIENCE_MS } from './nodes/insist.ts';
import { watchOrphanedJobs } from './nodes/jobs.ts';
import { type Load, startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { registerWebhook, startPaidReceiver } from './nodes/receiver.ts';
import { superviseStart } from './nodes/start.ts';
import { readStream } from './nodes/stream.ts';
import { unseenDoubles } from './nodes/twice.ts';
import { print, printChecks, printResult, printWrong } from './print.ts';
import { until } from './until.ts';

const isControl = process.argv.at(-1) === 'control';
const [NODE_KILLS = 100, DATABASE_KILLS = 30, SEED = 23] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (![NODE_KILLS, DATABASE_KILLS, SEED].every(Number.isSafeInteger) || NODE_KILLS < 0 || DATABASE_KILLS < 0) {
  process.stderr.write('usage: npm run drill -- nodes [<kills of a node> <kills of the database> <seed>] [control]\n');
  process.exit(2);
}

const NODES = 3;
const AT_ONCE = 16;
const PAUSE_MS = 2_000;
const OUTPUT_TAIL = 500;
/** Kills of nodes: with this many some must have hit a job. */
const MANY_KILLS = 30;

type Kind = 'node' | 'database';

const receiver = await startPaidReceiver();
await withDrillDatabase('nodes', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { db, log, url } = at;
  await migrate({ db, log });
  if (isControl) await acknowledgeEarly(db);
  const callers = await createCallers(url, 'sandbox', ['shop-1', 'shop-2']);
  const nodes: (RunningProgram | undefined)[] = [];
  // One after another: the first one creates the queue.
  for (let count = 0; count < NODES; count++) nodes.push(await superviseStart(at));
  const urls = () => nodes.flatMap(node => node?.url ?? []);
  await registerWebhook(urls()[0]!, receiver);
  const stream = readStream(urls, SEED);
  const load = startLoad({ callers, atOnce: AT_ONCE, seed: SEED, mode: 'sandbox', urls });
  const machine = await watchMachine(at.dir);
  const jobs = watchOrphanedJobs(db, { machine, isAnyNodeUp: () => urls().length > 0 });
  const startedMs = performance.now();
  const wrong: string[] = [];
  const kills = await killAll(at, nodes, load, jobs.databaseKilled, wrong);
  await wait(PAUSE_MS);
  await load.stop();
  const loadSeconds = (performance.now() - startedMs) / 1_000;

  const endedMs = performance.now();
  const paid = () => [...load.payments.values()];
  const undelivered = () => paid().filter(id => !receiver.paidAt.has(id));
  const unstreamed = () => paid().filter(id => !stream.paid.has(id));
  let unfinished: string[] = [];
  const isDone = async () => {
    unfinished = await unfinishedWork(db);
    return undelivered().length + unstreamed().length + unfinished.length === 0;
  };
  // Writes that the control has lost cannot be delivered.
  if (!isControl) await until(isDone, PATIENCE_MS);
  const lastSeconds = (performance.now() - endedMs) / 1_000;
  if (!isControl) wrong.push(...(await jobs.end()));
  const { promised, outage } = jobs.figures;
  if (promised.count === 0 && kills.node >= MANY_KILLS)
    wrong.push('no kill hit a job: nothing shows that jobs continue');
  await stream.stop();
  for (const node of nodes) if (node?.hasEnded()) wrong.push(endOf(node));
  const { lost, doubled } = await prove(db, load);
  const faultsInjected = kills.node + kills.database;
  const { acknowledged, longestGapMs } = load;
  printResult({ faultsInjected, acknowledged: acknowledged(), lost, doubled, longestGapMs: longestGapMs() });
  print('kills of a node, of the database', `${kills.node}, ${kills.database}`);
  print('charges, payments', `${load.charges.size}, ${load.payments.size}`);
  print('refunds, orders', `${load.refunds.size}, ${load.orders.size}`);
  print('requests sent again', load.repeats());
  print('payments not delivered to the webhook', undelivered().length);
  print('payments missing in the stream', unstreamed().length);
  print('charges and refunds not carried out', unfinished.length);
  print('answers that no caller should get', load.faults.length);
  print('jobs of killed nodes', promised.count);
  print('continued at the latest after, s', (promised.longestMs / 1_000).toFixed(1));
  print('jobs during whose outage the database was killed', outage.count);
  print('continued at the latest after, s', (outage.longestMs / 1_000).toFixed(1));
  print('all was done after the load, s', lastSeconds.toFixed(1));
  print('seconds of load', loadSeconds.toFixed(0));
  const failed = await printChecks({ DATABASE_URL: url, TRILHO_MODE: 'sandbox' });
  const unseen = isControl ? await unseenDoubles(db, urls()[0]!, callers[0]!) : [];
  wrong.unshift(...lost, ...doubled, ...unseen, ...load.faults, ...failed, ...unfinished);
  wrong.push(...undelivered().map(id => `webhook of ${id}`), ...unstreamed().map(id => `stream of ${id}`));
  printWrong(wrong);
  if (isControl) print('deliberate duplicates not found', unseen.length);
  if (isControl) return lost.length > 0 && unseen.length === 0 ? 0 : 1;
  return wrong.length === 0 && faultsInjected === NODE_KILLS + DATABASE_KILLS && acknowledged() > 0 ? 0 : 1;
}

/** Kills one after another; each falls on a service that works again: what is measured is how soon that is. Returns how many it were. */
async function killAll(
  at: DrillDatabase,
  nodes: (RunningProgram | undefined)[],
  load: Load,
  beforeDatabaseKill: () => void,
  wrong: string[],
): Promise<Record<Kind, number>> {
  const random = randomOf(SEED, NODES);
  const starting = new Set<Promise<void>>();
  const killed = { node: 0, database: 0 };

  function start(index: number): void {
    nodes[index] = undefined;
    const started = superviseStart(at)
      .then(node => {
        nodes[index] = node;
      })
      .catch((error: Error) => wrong.push(`a node does not start any more: ${error.message}`))
      .then(() => void starting.delete(started));
    starting.add(started);
  }

  async function kill(kind: Kind): Promise<boolean> {
    const before = load.acknowledged();
    if (!(await until(() => load.acknowledged() > before, PATIENCE_MS))) return false;
    await wait(random.below(PAUSE_MS));
    for (const [index, node] of nodes.entries()) {
      if (!node?.hasEnded()) continue;
      wrong.push(endOf(node));
      start(index);
    }
    if (kind === 'database') return killDatabase(at, beforeDatabaseKill);
    const wanted = random.below(NODES);
    const places = nodes.map((_, step) => (wanted + step) % NODES);
    const firstUp = () => places.find(place => nodes[place]);
    if (!(await until(() => firstUp() !== undefined, PATIENCE_MS))) return false;
    const index = firstUp()!;
    nodes[index]!.signal('SIGKILL');
    start(index);
    return true;
  }

  for (const kind of shuffled()) {
    if (!(await kill(kind))) {
      wrong.push(`the service did not recover within ${PATIENCE_MS / 60_000} minutes`);
      break;
    }
    killed[kind]++;
    const count = killed.node + killed.database;
    if (count % 10 === 0) process.stderr.write(`${count} kills, ${load.acknowledged()} writes\n`);
  }
  await Promise.all(starting);
  return killed;
}

function shuffled(): Kind[] {
  const kinds = [
    ...Array.from({ length: NODE_KILLS }, () => 'node' as const),
    ...Array.from({ length: DATABASE_KILLS }, () => 'database' as const),
  ];
  const random = randomOf(SEED, NODES + 1);
  const keyed = kinds.map(kind => ({ kind, key: random.below(1_000_000) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ kind }) => kind);
}

/** Once it answers: the number of a server that has ended may belong to another process. */
async function killDatabase({ db, clusterDir }: DrillDatabase, beforeKill: () => void): Promise<boolean> {
  const isUp = () =>
    db.query('select 1').then(
      () => true,
      () => false,
    );
  if (!(await until(isUp, PATIENCE_MS))) return false;
  const [pid = ''] = readFileSync(path.join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  beforeKill();
  process.kill(Number(pid), 'SIGKILL');
  return true;
}

/** And for so long before it writes that a kill hits in between. */
async function acknowledgeEarly(db: Sql): Promise<void> {
  await db.query('alter database postgres set synchronous_commit = off');
  await db.query(`alter system set wal_writer_delay = '10s'`);
  await db.query('select pg_reload_conf()');
}

function endOf(node: RunningProgram): string {
  return `a node ended by itself: ${node.output().slice(-OUTPUT_TAIL)}`;
}

/** Charges that no rail has registered yet, and refunds that were not carried out. */
async function unfinishedWork(db: Sql): Promise<string[]> {
  const rows = await db.query<{ text: string }>(
    `select 'charge ' || id || ' is CREATING' as text from charges where state = 'CREATING' union all
     select 'refund ' || id || ' is PENDING' from refunds where status = 'PENDING'`,
  );
  return rows.map(({ text }) => text);
}
