// Runs the command line and lists what it loads.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Ended, type Over, ownFolder, PROJECT, runToEnd } from '../harness/process.ts';

export const TRILHO = path.join(PROJECT, 'bin/trilho.js');
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
  'src/lib/errors.ts',
  'src/lib/version.ts',
  'src/main.ts',
];

/** Runs it and returns also which files it loaded, those of packages too. */
export async function runNoting(folder: string, ...args: string[]): Promise<Ended & { files: string[] }> {
  const notes = path.join(folder, 'modules');
  // A wrong setting: help is needed most when something is wrong.
  const env = { NODE_OPTIONS: `--import=${NOTE_MODULES}`, NOTE_MODULES_TO: notes, PORT: 'x' };
  const ended = await runToEnd({ folder, env, command: [process.execPath, TRILHO, ...args] });
  const urls = (await readFile(notes, 'utf8')).split('\n').filter(url => url.startsWith('file:'));
  return { ...ended, files: urls.map(url => path.relative(PROJECT, new URL(url).pathname)).sort() };
}

export async function assertLight(t: Over, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr, files } = await runNoting(await ownFolder(t), ...args);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^(\d+\.\d+\.\d+(-rc\.\d+)?$|trilho )/m);
  assert.deepEqual(files, LIGHT);
}

export async function assertHelpOf(t: Over, command: string): Promise<void> {
  const { code, stdout, stderr, files } = await runNoting(await ownFolder(t), command, '--help');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, command === 'help' ? /^trilho \d/ : new RegExp(`^trilho ${command}: `));
  assert.deepEqual(files, LIGHT);
}
