// Finds an EVM node: Hardhat's, which npm installs on every platform, or Foundry's anvil in PATH.
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

type FoundNode = { readonly name: 'hardhat' } | { readonly name: 'anvil'; readonly file: string };

/** EVM_NODE selects one of the two by name. */
export function findNode(env: NodeJS.ProcessEnv = process.env): FoundNode | undefined {
  const asked = env['EVM_NODE'];
  const anvil = programIn(env['PATH'] ?? '', process.platform === 'win32' ? 'anvil.exe' : 'anvil');
  if (asked !== 'anvil' && hasHardhat()) return { name: 'hardhat' };
  return asked !== 'hardhat' && anvil !== undefined ? { name: 'anvil', file: anvil } : undefined;
}

/** Its native part is a separate package, which may be missing. */
function hasHardhat(): boolean {
  const require = createRequire(import.meta.url);
  try {
    createRequire(require.resolve('hardhat/hre'))('@nomicfoundation/edr');
    return true;
  } catch {
    return false;
  }
}

function programIn(folders: string, program: string): string | undefined {
  return folders
    .split(path.delimiter)
    .map(folder => path.join(folder || '.', program))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
