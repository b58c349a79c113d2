// npm run drill:nodes [-- <kills of a node> <kills of the database> <seed> [control]]: three nodes on one database, under load,
// while nodes and the database are killed. Every write that was acknowledged must be there, once, and its event must be delivered.
// Prints a table; leaves with exit code 1 when anything was lost or doubled. `control`: the database acknowledges before it has
// written, so the drill must see a loss, and leaves with 1 when it sees none.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { type RunningProgram, runTrilho } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import type { Sql } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { randomOf } from '../test/harness/random.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { startPaidReceiver } from './nodes/receiver.ts';
import { print } from './print.ts';

const isControl = process.argv.at(-1) === 'control';
const [NODE_KILLS = 100, DATABASE_KILLS = 30, SEED = 23] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (![NODE_KILLS, DATABASE_KILLS, SEED].every(Number.isSafeInteger) || NODE_KILLS < 0 || DATABASE_KILLS < 0) {
  process.stderr.write('usage: npm run drill:nodes -- [<kills of a node> <kills of the database> <seed>] [control]\n');
  process.exit(2);
}

const NODES = 3;
const AT_ONCE = 16;
const PAUSE_MS = 2_000;
const DELIVERED_LIMIT_MS = 180_000;
const LOOK_MS = 250;

const receiver = await startPaidReceiver();
await withDrillDatabase('nodes', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { db, log, url } = at;
  await migrate({ db, log });
  if (isControl) await db.query('alter database postgres set synchronous_commit = off');
  const callers = await createCallers(url, 'live', ['shop-1', 'shop-2']);
  const nodes: (RunningProgram | undefined)[] = await Promise.all(Array.from({ length: NODES }, () => startNode(at)));
  for (const { headers } of callers) await registerWebhook(nodes[0]!.url, headers);
  const load = startLoad({ callers, atOnce: AT_ONCE, seed: SEED, urls: () => nodes.flatMap(node => node?.url ?? []) });
  const startedMs = performance.now();
  const random = randomOf(SEED, NODES);
  const starting = new Set<Promise<void>>();

  let kills = 0;
  for (const kind of shuffled()) {
    // The next kill falls on a service that works again: what is measured is how soon that is.
    const before = load.acknowledged();
    while (load.acknowledged() === before) await wait(LOOK_MS);
    await wait(random.below(PAUSE_MS));
    if (++kills % 10 === 0) process.stderr.write(`${kills} kills, ${load.acknowledged()} writes\n`);
    if (kind === 'database') {
      await killDatabase(at);
      continue;
    }
    const index = await upNode(nodes, random.below(NODES));
    nodes[index]!.signal('SIGKILL');
    nodes[index] = undefined;
    const start = startNode(at).then(node => {
      nodes[index] = node;
      starting.delete(start);
    });
    starting.add(start);
  }
  await Promise.all(starting);
  await wait(PAUSE_MS);
  await load.stop();
  const loadSeconds = (performance.now() - startedMs) / 1_000;

  const endedMs = performance.now();
  const missing = () => [...load.payments.values()].filter(id => !receiver.paidAt.has(id));
  while (missing().length > 0 && performance.now() - endedMs < DELIVERED_LIMIT_MS) await wait(LOOK_MS);
  const lastDeliveredMs = Math.max(endedMs, ...receiver.paidAt.values()) - endedMs;
  const { lost, doubled } = await prove(db, load);
  const undelivered = missing().map(id => `webhook of ${id}`);
  const env = { DATABASE_URL: url, TRILHO_MODE: 'live' };
  const commands = [];
  for (const args of [
    ['ledger', 'check'],
    ['audit', 'verify'],
  ]) {
    commands.push({ name: args.join(' '), ...(await runTrilho(args, env)) });
  }
  print('kills of a node', NODE_KILLS);
  print('kills of the database', DATABASE_KILLS);
  print('writes acknowledged', load.acknowledged());
  print('charges, payments', `${load.charges.size}, ${load.payments.size}`);
  print('requests sent again', load.repeats());
  print('lost', lost.length);
  print('doubled', doubled.length);
  print('not delivered', undelivered.length);
  print('answers that no caller should get', load.faults.length);
  print('longest gap without a write, s', (load.longestGapMs() / 1_000).toFixed(1));
  print('last event after the load, s', (lastDeliveredMs / 1_000).toFixed(1));
  print('seconds of load', loadSeconds.toFixed(0));
  for (const { name, code, lines } of commands) print(`${name}: ${lines.at(-1)}`, `exit ${code}`);
  const failed = commands.flatMap(({ code, lines }) => (code === 0 ? [] : lines));
  const wrong = [...lost, ...doubled, ...undelivered, ...load.faults, ...failed];
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  if (isControl) return lost.length > 0 ? 0 : 1;
  return wrong.length === 0 && load.acknowledged() > 0 ? 0 : 1;
}

/** A start may fall into a moment without a database, and then ends: it is started again, as a supervisor does. */
async function startNode({ dir, url }: DrillDatabase): Promise<RunningProgram> {
  for (;;) {
    try {
      return await startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live', allowsLocal: true });
    } catch {
      await wait(LOOK_MS);
    }
  }
}

async function registerWebhook(at: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const answer = await fetch(`${at}/webhooks`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, types: ['charge.paid'] }),
  });
  if (answer.status !== 201) throw new Error(`POST /webhooks: ${answer.status} ${await answer.text()}`);
}

function shuffled(): ('node' | 'database')[] {
  const kinds = [
    ...Array.from({ length: NODE_KILLS }, () => 'node' as const),
    ...Array.from({ length: DATABASE_KILLS }, () => 'database' as const),
  ];
  const random = randomOf(SEED, NODES + 1);
  const keyed = kinds.map(kind => ({ kind, key: random.below(1_000_000) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ kind }) => kind);
}

/** The node of this number, or the next that is up. */
async function upNode(nodes: readonly (RunningProgram | undefined)[], wanted: number): Promise<number> {
  for (;;) {
    for (let step = 0; step < NODES; step++) {
      const index = (wanted + step) % NODES;
      if (nodes[index]) return index;
    }
    await wait(LOOK_MS);
  }
}

/** Once it answers: the number of a server that has ended may belong to another process. */
async function killDatabase({ db, clusterDir }: DrillDatabase): Promise<void> {
  while (!(await isUp(db))) await wait(LOOK_MS);
  const [pid = ''] = readFileSync(path.join(clusterDir, 'postmaster.pid'), 'utf8').split('\n');
  process.kill(Number(pid), 'SIGKILL');
}

function isUp(db: Sql): Promise<boolean> {
  return db.query('select 1').then(
    () => true,
    () => false,
  );
}
