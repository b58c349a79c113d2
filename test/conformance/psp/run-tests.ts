// Runs the tests of the rail as they are, with Prism before each PSP that they start.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';

const ROOT = path.join(import.meta.dirname, '../../..');
/** The import of a test that uses a simulated PSP. */
const USES_PSP = /from '[./]+(?:harness\/(?:psp|test-psp|mandates-at-psp)|(?:simulated|scripted)-psp)\.ts'/;
/** Starts a PSP without Prism. */
const GOES_PAST = /import \{[^}]*\bstartPsp\b[^}]*\} from '@trilho\/psp'/;
/** Tests of the PSP itself send invalid requests on purpose. */
const OF_THE_PSP = 'test/packages/';

type TestRun = {
  readonly files: readonly string[];
  readonly passed: number;
  /** What is wrong with the run itself. */
  readonly faults: readonly string[];
};

/** `only` narrows the run to files whose path holds it. */
export async function runRailTests(validatorUrl: string, only = ''): Promise<TestRun> {
  const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
  const all = globSync('test/**/*.test.ts', { cwd: ROOT }).filter(file => !file.startsWith(OF_THE_PSP));
  const past = all.filter(file => GOES_PAST.test(read(file)));
  const files = all.filter(file => USES_PSP.test(read(file)) && file.includes(only)).sort();
  const { code, output } = await runTests(files, validatorUrl);
  return {
    files,
    passed: Number(/^(\d+) passed, /m.exec(output)?.[1] ?? 0),
    faults: [
      ...past.map(file => `${file} starts a PSP without startTestPsp, past Prism.`),
      ...(code === 0 ? [] : [`The tests ended with ${code}:\n${output}`]),
    ],
  };
}

async function runTests(files: readonly string[], validatorUrl: string): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, ['test/runner/run.ts', ...files], {
    cwd: ROOT,
    env: { ...process.env, PSP_VALIDATOR: validatorUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number>(resolve => child.once('exit', code => resolve(code ?? 1)));
  const output = await text(child.stdout);
  return { code: await ended, output };
}
