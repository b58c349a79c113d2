// The folder in which a restore creates the files of an embedded database, beside their place. A killed restore leaves it behind, and its
// server may keep running in it.
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { shutDown } from './server-process.ts';

const PREFIX = '.restoring-';

/** Each restore has its own folder, so no restore moves that of another into place. */
export function makeUnfinished(clusterDir: string): Promise<string> {
  return mkdtemp(path.join(path.dirname(clusterDir), PREFIX));
}

/** Cleans up what killed restores into this place have left. */
export async function removeUnfinished(clusterDir: string): Promise<void> {
  for (const folder of findUnfinished(clusterDir)) {
    await shutDown(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Refuses to create a database where the operator has begun to restore one. */
export function refuseUnfinished(clusterDir: string): void {
  const [folder] = findUnfinished(clusterDir);
  if (folder === undefined) return;
  throw new StartError(
    `A restore of the embedded database was interrupted: repeat trilho restore --archive, or remove ${folder}.`,
  );
}

function findUnfinished(clusterDir: string): string[] {
  const home = path.dirname(clusterDir);
  if (!existsSync(home)) return [];
  return readdirSync(home).flatMap(name => (name.startsWith(PREFIX) ? path.join(home, name) : []));
}
