// npm run drill -- payouts [<chain> …] [--of-each <n>] [--seed <n>] [--only <kind>]: payouts on a real EVM node, on the simulated
// Tron network and on the sandbox's simulated chain, while processes are killed and nodes fail in every known way. Then
// the transfers are counted on the chain itself: one for each fulfilled order, none for any other. Prints a table; exits with
// code 1 when anything was lost, doubled or wrong, or when a control that pays twice was not detected.
import { parseArgs } from 'node:util';
import { concurrencyLimit } from '../src/lib/concurrency-limit.ts';
import { CONTROLS, runControl } from '../test/harness/payout-drill/controls.ts';
import {
  KINDS,
  type Outcome,
  runScenario,
  type Scenario,
  scenariosOf,
} from '../test/harness/payout-drill/scenarios.ts';
import { WORLDS, type WorldName } from '../test/harness/payout-drill/world.ts';
import { withSuiteServer } from '../test/harness/suite-server.ts';

const { values: options, positionals } = parseArgs({
  options: {
    'of-each': { type: 'string' },
    seed: { type: 'string', default: '20' },
    only: { type: 'string' },
    index: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const worlds = WORLDS.filter(name => positionals.length === 0 || positionals.includes(name));
const [seed, ofEach, atOnce] = [
  Number(options.seed),
  Number(options['of-each'] ?? Infinity),
  Number(options['at-once']),
];
const isUnknown = positionals.some(name => !WORLDS.some(world => world === name));
if (isUnknown || !Number.isSafeInteger(seed) || !(ofEach >= 1) || !(atOnce >= 1)) {
  process.stderr.write(
    'usage: npm run drill -- payouts [evm] [tron] [simulated] [--of-each <n>] [--seed <n>] [--only <kind>] [--index <n>]\n',
  );
  process.exit(2);
}

const COLUMNS = ['scenarios', 'faults', 'orders', 'fulfilled', 'transfers', 'lost', 'doubled', 'wrong'] as const;
type Column = (typeof COLUMNS)[number];

process.exitCode = await withSuiteServer(drill);

async function drill(): Promise<number> {
  let faults = 0;
  let chosen = 0;
  for (const world of worlds) {
    const startedMs = performance.now();
    const scenarios = scenariosOf(world, ofEach).filter(
      ({ kind, index }) =>
        (options.only === undefined || kind === options.only) &&
        (options.index === undefined || index === Number(options.index)),
    );
    chosen += scenarios.length;
    const outcomes = await runAll(scenarios);
    faults += report(world, outcomes, (performance.now() - startedMs) / 1_000);
    if (options.only === undefined) faults += await controls(world);
  }
  if (chosen === 0) process.stderr.write('no chain has a scenario of this kind and index, so nothing was tried\n');
  return faults === 0 && chosen > 0 ? 0 : 1;
}

async function runAll(scenarios: readonly Scenario[]): Promise<Outcome[]> {
  const inTurn = concurrencyLimit(atOnce);
  let done = 0;
  return Promise.all(
    scenarios.map(scenario =>
      inTurn(async () => {
        const outcome = await runScenario(scenario, seed).catch((error: unknown) => failed(scenario, error));
        const { verdict, kind, index, world } = outcome;
        for (const message of [...verdict.lost, ...verdict.doubled, ...verdict.wrong]) {
          process.stdout.write(`${world}, ${kind}, --index ${index}: ${message}\n`);
        }
        if (++done % 10 === 0) process.stderr.write(`${done} of ${scenarios.length} scenarios are done\n`);
        return outcome;
      }),
    ),
  );
}

/** A scenario that cannot be judged proves nothing. */
function failed(scenario: Scenario, error: unknown): Outcome {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const none = { orders: 0, fulfilled: 0, transfers: 0, lost: [], doubled: [] };
  return { ...scenario, injected: [], verdict: { ...none, wrong: [`the scenario failed: ${message}`] } };
}

function report(world: WorldName, outcomes: readonly Outcome[], seconds: number): number {
  const names = KINDS.map(({ name }) => name).filter(name => outcomes.some(({ kind }) => kind === name));
  const width = Math.max(...names.map(name => name.length), world.length);
  const print = (name: string, cells: readonly (string | number)[]) =>
    process.stdout.write(`${name.padEnd(width)} ${cells.map(cell => String(cell).padStart(10)).join('')}\n`);
  print(world, COLUMNS);
  for (const name of names) print(name, cellsOf(outcomes.filter(({ kind }) => kind === name)));
  const all = cellsOf(outcomes);
  print('all', all);
  process.stdout.write(`${seconds.toFixed(0)} seconds, seed ${seed}\n\n`);
  return outcomes.reduce(
    (sum, { verdict: { lost, doubled, wrong } }) => sum + lost.length + doubled.length + wrong.length,
    0,
  );
}

function cellsOf(outcomes: readonly Outcome[]): number[] {
  const count: Readonly<Record<Column, (outcome: Outcome) => number>> = {
    scenarios: () => 1,
    faults: ({ injected }) => injected.length,
    orders: ({ verdict }) => verdict.orders,
    fulfilled: ({ verdict }) => verdict.fulfilled,
    transfers: ({ verdict }) => verdict.transfers,
    lost: ({ verdict }) => verdict.lost.length,
    doubled: ({ verdict }) => verdict.doubled.length,
    wrong: ({ verdict }) => verdict.wrong.length,
  };
  return COLUMNS.map(column => outcomes.reduce((sum, outcome) => sum + count[column](outcome), 0));
}

/** The number of controls that were not seen to pay twice. */
async function controls(world: WorldName): Promise<number> {
  let unseen = 0;
  for (const control of CONTROLS) {
    const { doubled } = await runControl(world, control, seed);
    process.stdout.write(
      `control on ${world}, ${control}: ${doubled.length > 0 ? 'detected to pay twice' : 'NOT DETECTED'}\n`,
    );
    if (doubled.length === 0) unseen++;
  }
  process.stdout.write('\n');
  return unseen;
}
