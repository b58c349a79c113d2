// Commands of trilho inside the process of a test: what one prints for a person or a script, and its exit code.
import { mock } from 'node:test';
import type { Command } from '../../src/cli/commands/entry.ts';
import { configOf } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/read.ts';
import { silentLog } from './log.ts';

type Said = { readonly code: number; readonly said: string };

/** Rejects with the StartError of a refusal, for which the command line prints its message and leaves with code 2. */
export async function runCommand(command: Command, env: Readonly<Record<string, string>>, args: readonly string[]) {
  const settings = readSettings({ ...env, LOG_LEVEL: 'silent' });
  const said = mock.method(console, 'log', () => {});
  const aside = mock.method(console, 'error', () => {});
  try {
    const code = await command(configOf(settings), silentLog, args, settings);
    return { code, said: said.mock.calls.map(call => String(call.arguments[0])).join('\n') } satisfies Said;
  } finally {
    said.mock.restore();
    aside.mock.restore();
  }
}
