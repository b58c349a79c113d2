// A data directory for a database that is only tried: it holds all payers' data, so nothing of it is left, also when the command is
// interrupted. What a killed one left goes at the next run.
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findAbandoned, makeDraft, removeFolder } from '../lib/drafts.ts';
import type { Log } from '../lib/log.ts';
import { possibleClusters } from '../storage/embedded/home.ts';
import { shutDown } from '../storage/embedded/server-process.ts';
import { removeUnfinished } from '../storage/embedded/unfinished.ts';
import { cleaningUp } from './on-interrupt.ts';

const PREFIX = 'trilho-verify-';

/** `work` gets a log in which what is ordinary, such as each migration, is worth a line only to who debugs. */
export async function withScratch<T>(log: Log, work: (dataDir: string, log: Log) => Promise<T>): Promise<T> {
  for (const folder of await findAbandoned(tmpdir(), new RegExp(PREFIX))) await removeScratch(folder);
  const scratch = await makeDraft(tmpdir(), PREFIX);
  const remove = () => removeScratch(scratch);
  return cleaningUp(remove, () => work(scratch, { ...log, info: log.debug })).finally(remove);
}

/** Its database may be in another folder, where root may not run it in this one. */
async function removeScratch(dataDir: string): Promise<void> {
  for (const clusterDir of possibleClusters(dataDir)) {
    if (!existsSync(path.dirname(clusterDir))) continue;
    await removeUnfinished(clusterDir);
    await shutDown(clusterDir);
    await removeFolder(path.dirname(clusterDir));
  }
  await removeFolder(dataDir);
}
