// npm run drill -- rolling <folder of another version> [<seconds of each step>]: three nodes of the other version under load are
// replaced one by one by nodes of this one, which also upgrades the schema; then back again, if the other version
// accepts the schema. Every acknowledged write must be there, once, and no caller may get a 5xx but 503. The folder has the other
// version with its packages, such as a `git worktree` after `npm ci`.
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { type RunningProgram, runTrilho } from '../bench/programs.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { PATIENCE_MS } from './nodes/insist.ts';
import { type Load, startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { startNode } from './nodes/start.ts';
import { print, printChecks, printResult, printWrong } from './print.ts';
import { until } from './until.ts';

const [OTHER = '', SECONDS = '5'] = process.argv.slice(2);
if (OTHER === '' || !/^[1-9]\d{0,3}$/.test(SECONDS)) {
  process.stderr.write('usage: npm run drill -- rolling <folder of another version> [<seconds of each step>]\n');
  process.exit(2);
}

const NODES = 3;
const AT_ONCE = 8;
const SEED = 23;
const STEP_MS = Number(SECONDS) * 1_000;

await withDrillDatabase('rolling', drill);

/** The result of a run, also of one that gives up. */
type Run = {
  readonly nodes: RunningProgram[];
  readonly steps: [string, string][];
  readonly wrong: string[];
  replaced: number;
  load?: Load;
};

async function drill(at: DrillDatabase): Promise<number> {
  const env = { DATABASE_URL: at.url, TRILHO_MODE: 'sandbox' };
  const made = await runTrilho(['migrate'], env, OTHER);
  if (made.code !== 0) {
    printWrong([`the other version does not make a database: ${made.lines.at(-1)}`]);
    return 1;
  }
  const run: Run = { nodes: [], steps: [], wrong: [], replaced: 0 };
  const { steps, wrong } = run;
  await roll(at, run).catch((error: Error) => wrong.push(`the drill gave up: ${error.message}`));
  await run.load?.stop();

  const { lost, doubled } = await prove(at.db, run.load ?? { charges: new Map(), payments: new Map() });
  const [acknowledged, longestGapMs] = [run.load?.acknowledged() ?? 0, run.load?.longestGapMs() ?? 0];
  const faults = run.load?.faults ?? [];
  for (const [what, value] of steps) print(what, value);
  printResult({ faultsInjected: run.replaced, acknowledged, lost, doubled, longestGapMs });
  print('requests sent again', run.load?.repeats() ?? 0);
  print('answers that no caller should get', faults.length);
  wrong.unshift(...lost, ...doubled, ...faults, ...(await printChecks(env)));
  printWrong(wrong);
  return wrong.length === 0 && acknowledged > 0 ? 0 : 1;
}

/** To this version and back. Rejects when a node does not start. */
async function roll(at: DrillDatabase, run: Run): Promise<void> {
  const { nodes, steps, wrong } = run;
  const callers = await createCallers(at.url, 'sandbox', ['shop-1', 'shop-2']);
  for (let count = 0; count < NODES; count++) nodes.push(await startNode(at, OTHER));
  const urls = () => nodes.map(({ url }) => url);
  const load = startLoad({ callers, atOnce: AT_ONCE, seed: SEED, mode: 'sandbox', urls });
  run.load = load;
  const judge = async () => wrong.push(...(await someWrites(load, nodes)));

  await judge();
  for (let count = 0; count < NODES; count++) {
    await replace(nodes, () => startNode(at));
    run.replaced++;
    await judge();
    steps.push([`nodes of this version: ${count + 1}`, `${load.acknowledged()} writes`]);
  }
  for (let count = 0; count < NODES; count++) {
    const refusal = await replace(nodes, () => startNode(at, OTHER)).catch((error: Error) => refusalIn(error.message));
    if (refusal === undefined) run.replaced++;
    await judge();
    steps.push([`back to the other version: ${count + 1}`, refusal === undefined ? 'started' : 'refused']);
    if (refusal === undefined) continue;
    // A schema is only upgraded; a version that does not know it refuses, and the running nodes continue.
    process.stdout.write(`${refusal}\n`);
    break;
  }
}

/** A new node replaces the oldest, which then stops cleanly; callers no longer use it. */
async function replace(nodes: RunningProgram[], start: () => Promise<RunningProgram>): Promise<undefined> {
  nodes.push(await start());
  await nodes.shift()!.stop();
}

/** Some time in which writes are acknowledged. Returns the faults in it. */
async function someWrites(load: Load, nodes: readonly RunningProgram[]): Promise<string[]> {
  const before = load.acknowledged();
  await wait(STEP_MS);
  const hasSome = await until(() => load.acknowledged() > before, PATIENCE_MS);
  const ended = nodes.filter(node => node.hasEnded()).map(({ url }) => `the node at ${url} ended by itself`);
  return [...ended, ...(hasSome ? [] : [`nothing was acknowledged within ${PATIENCE_MS / 60_000} minutes`])];
}

/** The sentence of a version that refuses the database; anything else is a fault of the drill. */
function refusalIn(output: string): string {
  const [sentence] = /^.*The database has the migration.*$/m.exec(output) ?? [];
  if (sentence === undefined) throw new Error(output);
  return sentence;
}
