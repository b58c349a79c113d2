// A data directory for a trial of a database, or for a demo: it may hold all payers' data, so it is removed even when the command is
// interrupted. What a killed command left is removed by the next run.
import { tmpdir } from 'node:os';
import { findAbandoned, makeDraft, removeFolder } from '../lib/files/drafts.ts';
import type { Log } from '../lib/log.ts';
import { clusterIn } from '../storage/embedded/home.ts';
import { shutDown } from '../storage/embedded/server-process.ts';
import { removeUnfinished } from '../storage/embedded/unfinished.ts';
import { cleaningUp } from './on-interrupt.ts';

const PREFIX = 'trilho-verify-';

/** `work` gets a log that lowers info, such as a line for each migration, to debug. */
export async function withScratch<T>(log: Log, work: (dataDir: string, log: Log) => Promise<T>): Promise<T> {
  const scratch = await makeScratch();
  const remove = () => removeScratch(scratch);
  return cleaningUp(remove, () => work(scratch, { ...log, info: log.debug })).finally(remove);
}

export async function makeScratch(): Promise<string> {
  for (const folder of await findAbandoned(tmpdir(), new RegExp(PREFIX))) await removeScratch(folder);
  return makeDraft(tmpdir(), PREFIX);
}

/** Stops its database, if that still runs. */
export async function removeScratch(dataDir: string): Promise<void> {
  const clusterDir = clusterIn(dataDir);
  await removeUnfinished(clusterDir);
  await shutDown(clusterDir);
  await removeFolder(dataDir);
}
