// Version and help of the command line: always there, whatever the settings are, and without loading a command.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../src/cli/commands.ts';
import { type Ended, ownFolder, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');
const NOTE_MODULES = path.join(PROJECT, 'test/harness/note-modules.ts');
/** All that version and help may load. */
const LIGHT = [
  'bin/trilho.js',
  'src/cli/arguments.ts',
  'src/cli/commands.ts',
  'src/cli/commands/accounts.ts',
  'src/cli/commands/charges.ts',
  'src/cli/commands/entry.ts',
  'src/cli/commands/operations.ts',
  'src/cli/commands/payouts.ts',
  'src/cli/commands/testing.ts',
  'src/cli/output.ts',
  'src/cli/run.ts',
  'src/config/version.ts',
  'src/lib/errors.ts',
  'src/main.ts',
];

/** Runs it and returns also which files it loaded, those of packages too. */
async function runNoting(folder: string, ...args: string[]): Promise<Ended & { files: string[] }> {
  const notes = path.join(folder, 'modules');
  // A wrong setting: help is needed most where something is wrong.
  const env = { NODE_OPTIONS: `--import=${NOTE_MODULES}`, NOTE_MODULES_TO: notes, PORT: 'x' };
  const ended = await runToEnd({ folder, env, command: [process.execPath, TRILHO, ...args] });
  const urls = (await readFile(notes, 'utf8')).split('\n').filter(url => url.startsWith('file:'));
  return { ...ended, files: urls.map(url => path.relative(PROJECT, new URL(url).pathname)).sort() };
}

describe('version and help', { concurrency: 2 }, () => {
  for (const args of [['version'], ['--version'], ['--help'], ['help'], ['help', 'pay']]) {
    test(`trilho ${args.join(' ')} loads nothing heavy`, async t => {
      const { code, stdout, stderr, files } = await runNoting(await ownFolder(t), ...args);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, /^(\d+\.\d+\.\d+$|trilho )/m);
      assert.deepEqual(files, LIGHT);
    });
  }

  for (const command of [...COMMANDS.keys(), 'version', 'help']) {
    test(`trilho ${command} --help prints its help and loads nothing heavy`, async t => {
      const folder = await ownFolder(t);
      const { code, stdout, stderr, files } = await runNoting(folder, command, '--help');
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(stdout, command === 'help' ? /^trilho \d/ : new RegExp(`^trilho ${command}: `));
      assert.deepEqual(files, LIGHT);
    });
  }

  test('--help is found behind other words, and -h is the same', async t => {
    const { code, stdout } = await runNoting(await ownFolder(t), 'keys', 'create', '--account', 'acme', '-h');
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}trilho keys create --account/m);
  });

  test('a module that is loaded is noted', async t => {
    const { files } = await runNoting(await ownFolder(t), 'config');
    assert.ok(files.includes('src/config/settings.ts') && files.some(file => file.startsWith('node_modules/')));
  });

  test('version and help name what they do not know', async t => {
    const folder = await ownFolder(t);
    const run = async (...args: string[]) =>
      refusalOf(await runToEnd({ folder, command: [process.execPath, TRILHO, ...args] }));
    assert.match(await run('version', 'loudly'), /"loudly"/);
    assert.match(await run('help', 'sing'), /no command "sing"/);
    assert.match(await run('constructor'), /no command "constructor"/);
  });

  test('npx trilho runs it in a checkout', async t => {
    const folder = await ownFolder(t);
    await writeFile(path.join(folder, '.npmrc'), 'update-notifier=false\n');
    const npx = ['npx', '--offline', 'trilho', 'version'];
    const { code, stdout, stderr } = await runToEnd({ folder, cwd: PROJECT, command: npx });
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
