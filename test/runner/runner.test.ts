// The runner itself: failures are named, no file hangs a run, and what a file has started ends with it.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { isAlive, until } from '../harness/process.ts';
import { reachedBy } from './import-graph.ts';
import { type FileResult, runFiles } from './pool.ts';
import { failuresOf, overBudget, summaryOf } from './report.ts';
import { ROOT } from './select.ts';

/** Runs files with these contents one after another, and returns the result of each. */
async function run(
  t: TestContext,
  texts: Readonly<Record<string, string>>,
  limit: (file: string) => AbortSignal = endless,
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'trilho-runner-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const head = `import assert from 'node:assert'; import { after, before, describe, test } from 'node:test';\n`;
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), head + text);
  const done: FileResult[] = [];
  await runFiles(
    Object.keys(texts).map(name => path.join(folder, name)),
    {
      ...{
        workers: 1,
        isIsolated: () => false,
        env: process.env,
        limit,
        onFile: (result: FileResult) => void done.push(result),
      },
    },
  );
  return { folder, done };
}

/** Lets this process read the messages that have arrived. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

const endless = () => new AbortController().signal;

const failures = (result: FileResult | undefined) => result?.results.flatMap(({ failure }) => failure ?? []) ?? [];

test('a failure is reported with its name and its error, and the next file runs in another process', async t => {
  const print = `test('prints', () => console.log('here', process.pid));`;
  const { done } = await run(t, {
    'bad.mjs': `${print} describe('group', () => { test('sums', () => assert.equal(1 + 1, 3)); });`,
    'good.mjs': `test('is fine', () => {}); test('is not', () => { assert.ok(false, String(process.pid)); });`,
    'skipped.mjs': `test('needs a browser', { skip: 'there is no browser' }, () => {}); test('passes', () => {});`,
  });
  const [bad, good, skipped] = done;
  assert.match(failuresOf(bad!), /✖ .*bad\.mjs › group › sums\n {4}AssertionError.*\n(?:.*\n)*.*here \d+/);
  assert.deepEqual(
    good?.results.map(({ name, failure }) => [name, failure !== undefined]),
    [
      ['is fine', false],
      ['is not', true],
    ],
  );
  const pid = /here (\d+)/.exec(bad?.output ?? '')?.[1];
  assert.ok(pid !== undefined && !failures(good).join().includes(pid));
  const { text, totals } = summaryOf(done, 1);
  assert.deepEqual(totals, { passed: 3, failed: 2, skipped: 1 });
  assert.match(text, /Skipped 1: there is no browser\n {2}- needs a browser\n/);
  assert.equal(failuresOf(skipped!), '');
});

test('a file can read its own path, also in a process that has run another', async t => {
  const text = `test('is named', () => assert.equal(process.env['TEST_FILE'], import.meta.filename));`;
  const { done } = await run(t, { 'first.mjs': text, 'second.mjs': text });
  assert.deepEqual(done.flatMap(failures), []);
});

test('hooks of a file are its own, and files in one process run one after another', async t => {
  const file = (name: string) => `globalThis.seen ??= [];
    before(() => seen.push('before ${name}')); after(() => seen.push('after ${name}'));
    test('of ${name}', () => { seen.push('test ${name}'); if ('${name}' === 'b') assert.fail(seen.join()); });`;
  const { done } = await run(t, { 'a.mjs': file('a'), 'b.mjs': file('b') });
  assert.match(failures(done[1]).join(), /before a,test a,after a,before b,test b\b/);
});

test('a file that does not end is ended and named with the test that was running, and what it started is ended', async t => {
  let pid = 0;
  const { done } = await run(
    t,
    {
      'hangs.mjs': `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
        test('waits for ever', async () => {
          const child = spawn('sleep', ['1000'], { detached: true });
          // The message that this test has begun is sent before the file exists.
          for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
          await new Promise(resolve => process.send({ kind: 'ended', name: 'nothing' }, resolve));
          writeFileSync(new URL('./pid', import.meta.url), child.pid + '\\n');
          await new Promise(() => setInterval(() => {}, 1000));
        });`,
      'next.mjs': `test('runs', () => {});`,
    },
    file => {
      const limit = new AbortController();
      const isStarted = async () => {
        const text = await readFile(path.join(path.dirname(file), 'pid'), 'utf8').catch(() => '');
        pid = text.endsWith('\n') ? Number(text) : 0;
        return pid > 0;
      };
      if (file.endsWith('hangs.mjs'))
        until('the file to hang', isStarted)
          .then(turns)
          .then(() => limit.abort());
      return limit.signal;
    },
  );
  assert.match(failures(done[0]).join(), /It did not end within .*Running: waits for ever\./);
  assert.deepEqual(failures(done[1]), []);
  await until('the process that it started to end', () => !isAlive(pid));
});

test('a file that cannot be loaded, and one that ends its process, fail', async t => {
  const { done } = await run(t, {
    'broken.mjs': `import './missing.mjs';`,
    'leaves.mjs': `test('leaves', () => process.exit(7));`,
  });
  assert.match(failures(done[0]).join(), /missing\.mjs/);
  assert.match(failures(done[1]).join(), /Its process ended with 7\./);
});

test('a file over its budget is named', async () => {
  const file = { file: 'test/slow.test.ts', results: [], cpuMs: 16_000, wallMs: 1, output: '' };
  assert.match(overBudget([file], 15_000).join(), /^test\/slow\.test\.ts took 16\.0 s .* may take 15\.0 s/);
  assert.deepEqual(overBudget([file], undefined), []);
});

test('a change reaches the files that import it, directly or by others', async t => {
  const { folder } = await run(t, {});
  await writeFile(path.join(folder, 'leaf.ts'), '');
  await writeFile(path.join(folder, 'middle.ts'), `export { x } from './leaf.ts';\n`);
  await writeFile(path.join(folder, 'a.test.ts'), `import { x } from './middle.ts';\n`);
  await writeFile(path.join(folder, 'b.test.ts'), `const later = () => import('./other.ts');\n`);
  await writeFile(path.join(folder, 'other.ts'), '');
  const tests = ['a.test.ts', 'b.test.ts'];
  assert.deepEqual(reachedBy(folder, tests, new Set(['leaf.ts'])), ['a.test.ts']);
  assert.deepEqual(reachedBy(folder, tests, new Set(['other.ts'])), ['b.test.ts']);
  assert.deepEqual(reachedBy(folder, tests, new Set(['b.test.ts'])), ['b.test.ts']);
});

test('a change in a package reaches the files that import the package by its name', () => {
  const tests = ['test/web/boleto-pdf.test.ts', 'test/lib/banking-days.test.ts'];
  const changed = new Set([path.join('packages', 'cnab', 'src', 'boleto', 'digits.ts')]);
  assert.deepEqual(reachedBy(ROOT, tests, changed), ['test/web/boleto-pdf.test.ts']);
});
