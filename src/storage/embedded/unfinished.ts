// The folder in which a restore makes the files of an embedded database, beside their place. A restore that was killed leaves it, and
// its server may go on running in it.
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { shutDown } from './server-process.ts';

const PREFIX = '.restoring-';

/** Each restore has a folder of its own, so no restore moves that of another into place. */
export function makeUnfinished(clusterDir: string): Promise<string> {
  return mkdtemp(path.join(path.dirname(clusterDir), PREFIX));
}

/** Ends what restores into this place have left. */
export async function removeUnfinished(clusterDir: string): Promise<void> {
  for (const folder of findUnfinished(clusterDir)) {
    await shutDown(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Refuses to go on without a database where the operator has begun to restore one. */
export function refuseUnfinished(clusterDir: string): void {
  const [folder] = findUnfinished(clusterDir);
  if (folder === undefined) return;
  throw new StartError(
    `A restore of the embedded database was cut short: repeat trilho restore --archive, or remove ${folder}.`,
  );
}

function findUnfinished(clusterDir: string): string[] {
  const home = path.dirname(clusterDir);
  if (!existsSync(home)) return [];
  return readdirSync(home).flatMap(name => (name.startsWith(PREFIX) ? path.join(home, name) : []));
}
