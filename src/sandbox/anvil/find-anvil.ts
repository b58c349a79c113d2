// Where anvil is: in the packages beside the service, or in PATH.
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';

const MISSING =
  'anvil, the test node of Foundry, is not installed: run npm install --save-dev @foundry-rs/anvil, ' +
  'or put the program anvil into a folder of PATH (https://getfoundry.sh).';

/** Throws a StartError that says how to install it. */
export function findAnvil(folders: string = process.env['PATH'] ?? ''): string {
  const found = packaged() ?? folders.split(path.delimiter).map(programIn).find(isExecutable);
  if (found === undefined) throw new StartError(MISSING);
  return found;
}

/** The program of the package itself: its launcher would be a second process between us and the node. */
function packaged(): string | undefined {
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  try {
    const name = `@foundry-rs/anvil-${process.platform}-${architecture}/bin/${PROGRAM}`;
    return createRequire(import.meta.url).resolve(name);
  } catch {
    return undefined;
  }
}

const PROGRAM = process.platform === 'win32' ? 'anvil.exe' : 'anvil';

function programIn(folder: string): string {
  return path.join(folder || '.', PROGRAM);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
