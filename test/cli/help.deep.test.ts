// Version and help in every spelling and of every command, each in its own process, and by npx.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../src/cli/commands.ts';
import { ownFolder, PROJECT, runToEnd } from '../harness/process.ts';
import { assertHelpOf, assertLight } from './light-commands.ts';

describe('version and help', { concurrency: 2 }, () => {
  for (const args of [['version'], ['--version'], ['--help'], ['help'], ['help', 'pay']]) {
    test(`trilho ${args.join(' ')} loads nothing heavy`, t => assertLight(t, args));
  }

  for (const command of [...COMMANDS.keys(), 'version', 'help']) {
    test(`trilho ${command} --help prints its help and loads nothing heavy`, t => assertHelpOf(t, command));
  }

  test('npx trilho runs it in a checkout', async t => {
    const folder = await ownFolder(t);
    await writeFile(path.join(folder, '.npmrc'), 'update-notifier=false\n');
    const npx = ['npx', '--offline', 'trilho', 'version'];
    const { code, stdout, stderr } = await runToEnd({ folder, cwd: PROJECT, command: npx });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\d+\.\d+\.\d+(-rc\.\d+)?\n$/);
  });
});
