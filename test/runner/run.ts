// Runs the tests: `node test/runner/run.ts first`, `deep`, `changed [<commit>]`, or the files that are named.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { withSuiteServer } from '../harness/suite-server.ts';
import { describeMachine } from './machine.ts';
import { type FileResult, runFiles } from './pool.ts';
import { failuresOf, overBudget, summaryOf } from './report.ts';
import { filesChangedSince, filesOf, isDeep, ROOT, type Tier } from './select.ts';

const [what = 'first', ...rest] = process.argv.slice(2);
const isTier = (name: string): name is Tier => name === 'first' || name === 'deep';
const tier = isTier(what) ? what : undefined;
/** Files that are named run with whole volumes. */
const isWhole = tier !== 'first' && what !== 'changed';

/** Of processor time, for a file of the first tier. */
const BUDGET_MS = 15_000;
/** Long enough for a machine that has lost most of its CPU. */
const FILE_LIMIT_MS = 15 * 60_000;
/** The share of the deep tier's volumes. */
const FIRST_SCALE = 0.1;

/** After this many files a line shows the progress. */
const PROGRESS_FILES = 25;

/** Files that take longer than their length suggests, because they start many processes. */
const SLOW = /^test\/process\/|\/(?:drill|checkout|views|fuzz)\.deep\./;

const CACHE = path.join(ROOT, 'node_modules/.cache');
const TIMES = path.join(CACHE, 'test-times.json');

process.exitCode = await main();

async function main(): Promise<number> {
  const named = select();
  const missing = named.filter(file => !existsSync(path.join(ROOT, file)));
  if (missing.length > 0) {
    console.log(`There is no test file ${missing.join(', ')}.`);
    return 2;
  }
  const files = slowestFirst(named);
  if (files.length === 0) {
    console.log('No test file is reached by what has changed.');
    return 0;
  }
  console.log(`${files.length} test files on ${describeMachine()}`);
  const began = performance.now();
  const done: FileResult[] = [];
  const onFile = (result: FileResult) => {
    done.push(result);
    process.stdout.write(failuresOf(result));
    if (done.length % PROGRESS_FILES === 0) console.log(`${done.length} of ${files.length} files`);
  };
  await withSuiteServer(() =>
    runFiles(files, {
      workers: availableParallelism() + 1,
      isIsolated: file => tier === 'deep' || isDeep(file),
      limit: () => AbortSignal.timeout(FILE_LIMIT_MS),
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: path.join(CACHE, 'compiled'),
        TEST_SCALE: process.env['TEST_SCALE'] ?? String(isWhole ? 1 : FIRST_SCALE),
      },
      onFile,
    }),
  );
  keepTimes(done);
  const { text, totals } = summaryOf(done, performance.now() - began);
  process.stdout.write(text);
  const over = overBudget(done, tier === 'first' ? BUDGET_MS : undefined);
  for (const line of over) console.log(line);
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  return totals.failed === 0 ? 0 : 1;
}

function select(): string[] {
  if (tier) return filesOf(tier);
  if (what === 'changed') return filesChangedSince(rest[0] ?? 'HEAD');
  return [what, ...rest].map(file => path.relative(ROOT, path.resolve(file)));
}

/** So that no slow one is left for the end. A file that was never run here is estimated by its kind and its length. */
function slowestFirst(files: readonly string[]): string[] {
  const times = timesKept();
  const weight = (file: string) =>
    times[file] ?? readFileSync(path.join(ROOT, file)).length * (SLOW.test(file) ? 10 : 1);
  return files.toSorted((one, other) => weight(other) - weight(one));
}

function timesKept(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(TIMES, 'utf8'));
  } catch {
    return {};
  }
}

function keepTimes(done: readonly FileResult[]): void {
  const times = Object.fromEntries(done.map(({ file, wallMs }) => [file, Math.round(wallMs)]));
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(TIMES, JSON.stringify({ ...timesKept(), ...times }, undefined, 1));
}
