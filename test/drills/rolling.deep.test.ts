// npm run drill -- rolling with another version whose nodes do not start.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { ownFolder, PROJECT, runToEnd } from '../harness/process.ts';

test('a drill that gives up prints the five figures, why, and no stack', async t => {
  const folder = await ownFolder(t);
  await mkdir(path.join(folder, 'bin'));
  const real = JSON.stringify(path.join(PROJECT, 'bin/trilho.js'));
  const script = `if (process.argv[2] === 'migrate') await import(${real});
else {
  console.error('this version does not start');
  process.exit(2);
}`;
  await writeFile(path.join(folder, 'bin/trilho.js'), script);
  await writeFile(path.join(folder, 'package.json'), '{ "type": "module" }');
  const ended = await runToEnd({
    folder,
    command: [process.execPath, path.join(PROJECT, 'drills/rolling.ts'), folder, '1'],
  });
  assert.equal(ended.code, 1, ended.stderr);
  for (const figure of [
    'faults injected',
    'writes acknowledged',
    'lost',
    'doubled',
    'longest gap without a write, s',
  ]) {
    assert.match(ended.stdout, new RegExp(`^${figure} +0(\\.0)?$`, 'm'));
  }
  assert.match(ended.stdout, /^the drill gave up: .*did not start\.\s+this version does not start$/m);
  assert.doesNotMatch(ended.stdout + ended.stderr, /^\s+at /m);
});
