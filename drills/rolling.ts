// npm run drill:rolling -- <folder of another version> [<seconds of each step>]: three nodes of the other version under load are
// replaced one by one by nodes of this one, which brings the schema up to date meanwhile; then back again, where the other
// version takes the schema. What was acknowledged must be there, once, and no caller may get a 5xx but 503. The folder has the other
// version with its packages, such as a `git worktree` after `npm ci`.
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { type RunningProgram, runTrilho } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { type Load, startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { print } from './print.ts';

const [OTHER = '', SECONDS = '5'] = process.argv.slice(2);
if (OTHER === '' || !/^[1-9]\d{0,3}$/.test(SECONDS)) {
  process.stderr.write('usage: npm run drill:rolling -- <folder of another version> [<seconds of each step>]\n');
  process.exit(2);
}

const NODES = 3;
const AT_ONCE = 8;
const SEED = 23;
const STEP_MS = Number(SECONDS) * 1_000;
const LOOK_MS = 250;

await withDrillDatabase('rolling', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const env = { DATABASE_URL: at.url, TRILHO_MODE: 'live' };
  const made = await runTrilho(['migrate'], env, OTHER);
  if (made.code !== 0) throw new Error(`the other version does not make a database: ${made.lines.at(-1)}`);
  const callers = await createCallers(at.url, 'live', ['shop-1', 'shop-2']);
  const nodes: RunningProgram[] = [];
  for (let count = 0; count < NODES; count++) nodes.push(await startNode(at, OTHER));
  const load = startLoad({ callers, atOnce: AT_ONCE, seed: SEED, urls: () => nodes.map(({ url }) => url) });
  const steps: [string, string][] = [];

  await someWrites(load);
  for (let count = 0; count < NODES; count++) {
    await replace(nodes, () => startNode(at));
    await someWrites(load);
    steps.push([`nodes of this version: ${count + 1}`, `${load.acknowledged()} writes`]);
  }
  for (let count = 0; count < NODES; count++) {
    const refusal = await replace(nodes, () => startNode(at, OTHER)).catch((error: Error) => refusalIn(error.message));
    await someWrites(load);
    steps.push([`back to the other version: ${count + 1}`, refusal === undefined ? 'started' : 'refused']);
    if (refusal === undefined) continue;
    // A schema goes forward only; a version that does not know it says so, and the nodes that run go on.
    process.stdout.write(`${refusal}\n`);
    break;
  }
  await load.stop();

  const { lost, doubled } = await prove(at.db, load);
  const commands = [await runTrilho(['ledger', 'check'], env), await runTrilho(['audit', 'verify'], env)];
  const failed = commands.flatMap(({ code, lines }) => (code === 0 ? [] : lines));
  for (const [what, value] of steps) print(what, value);
  print('writes acknowledged', load.acknowledged());
  print('requests sent again', load.repeats());
  print('lost', lost.length);
  print('doubled', doubled.length);
  print('answers that no caller should get', load.faults.length);
  print('longest gap without a write, s', (load.longestGapMs() / 1_000).toFixed(1));
  print('ledger check, audit verify', failed.length === 0 ? 'right' : 'wrong');
  const wrong = [...lost, ...doubled, ...load.faults, ...failed];
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  return wrong.length === 0 && load.acknowledged() > 0 ? 0 : 1;
}

/** One that starts takes the place of the oldest, which then ends in order; callers no longer know it. */
async function replace(nodes: RunningProgram[], start: () => Promise<RunningProgram>): Promise<undefined> {
  nodes.push(await start());
  await nodes.shift()!.stop();
}

function startNode({ dir, url }: DrillDatabase, folder?: string): Promise<RunningProgram> {
  return startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live', allowsLocal: true, folder });
}

/** Some time in which writes are acknowledged. */
async function someWrites(load: Load): Promise<void> {
  const before = load.acknowledged();
  await wait(STEP_MS);
  while (load.acknowledged() === before) await wait(LOOK_MS);
}

/** The sentence of a version that refuses the database; anything else is a fault of the drill. */
function refusalIn(output: string): string {
  const [sentence] = /^.*The database has the migration.*$/m.exec(output) ?? [];
  if (sentence === undefined) throw new Error(output);
  return sentence;
}
