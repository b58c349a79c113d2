// The faults that readConfig finds in an environment.
import assert from 'node:assert/strict';
import { readConfig } from '../../src/config/config.ts';
import type { Environment } from '../../src/config/read.ts';
import { StartError } from '../../src/lib/errors.ts';

/** Files by their path; any other is missing. */
type Files = Readonly<Record<string, string>>;

export const readFrom = (files: Files) => (path: string) => {
  const text = files[path];
  if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
  return text;
};

/** One line per fault; empty when the environment can be read. */
export function faultsOf(environment: Environment, files: Files = {}): string[] {
  try {
    readConfig(environment, readFrom(files));
    return [];
  } catch (error) {
    assert.ok(error instanceof StartError, String(error));
    return error.message.split('\n');
  }
}
