// Version and help of the command line: always available, with any settings, and without loading a command. Every command and
// every spelling is in help.deep.test.ts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownFolder, refusalOf, runToEnd } from '../harness/process.ts';
import { assertHelpOf, assertLight, runNoting, TRILHO } from './light-commands.ts';

describe('version and help', { concurrency: 2 }, () => {
  for (const args of [['--version'], ['help', 'pay']]) {
    test(`trilho ${args.join(' ')} loads nothing heavy`, t => assertLight(t, args));
  }

  test('trilho keys --help prints its help and loads nothing heavy', t => assertHelpOf(t, 'keys'));

  test('--help works after other arguments, and -h is the same', async t => {
    const { code, stdout } = await runNoting(await ownFolder(t), 'keys', 'create', '--account', 'acme', '-h');
    assert.equal(code, 0);
    assert.match(stdout, /^ {2}trilho keys create --account/m);
  });

  test('a loaded module is recorded', async t => {
    const { files } = await runNoting(await ownFolder(t), 'config');
    assert.ok(files.includes('src/config/settings.ts') && files.some(file => file.startsWith('node_modules/')));
  });

  test('version and help name unknown arguments', async t => {
    const folder = await ownFolder(t);
    const run = async (...args: string[]) =>
      refusalOf(await runToEnd({ folder, command: [process.execPath, TRILHO, ...args] }));
    assert.match(await run('version', 'loudly'), /"loudly"/);
    assert.match(await run('help', 'sing'), /no command "sing"/);
    assert.match(await run('constructor'), /no command "constructor"/);
  });
});
