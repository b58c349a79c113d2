// Temporary folders in which something is made before it gets its name. Their names contain the id of the process, so that the next run
// finds those of killed processes.
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../processes.ts';

/** A new folder whose name begins with `prefix`. */
export function makeDraft(parent: string, prefix: string): Promise<string> {
  return mkdtemp(path.join(parent, `${prefix}${process.pid}-`));
}

/** Folders that `makeDraft` made for processes that have ended; `prefix` is a pattern. */
export async function findAbandoned(parent: string, prefix: RegExp): Promise<string[]> {
  const drafts = await findDrafts(parent, prefix);
  const found = await Promise.all(drafts.map(async one => ((await isAbandoned(one)) ? [one.folder] : [])));
  return found.flat();
}

/** Removes the drafts of this process, when it is asked to stop. */
export async function removeOwn(parent: string, prefix: RegExp): Promise<void> {
  for (const { folder, pid } of await findDrafts(parent, prefix)) if (pid === process.pid) await removeFolder(folder);
}

/** Works even while something is being written into it. */
export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

type Draft = { readonly folder: string; readonly pid: number };

async function findDrafts(parent: string, prefix: RegExp): Promise<Draft[]> {
  const name = new RegExp(`^${prefix.source}(\\d+)-\\w{6}$`);
  const items = await readdir(parent, { withFileTypes: true }).catch(() => []);
  return items.flatMap(item => {
    const [, pid] = (item.isDirectory() && name.exec(item.name)) || [];
    return pid === undefined ? [] : { folder: path.join(parent, item.name), pid: Number(pid) };
  });
}

/** In a container every run may have the same process id, so a draft from before this process began is abandoned too. */
async function isAbandoned({ folder, pid }: Draft): Promise<boolean> {
  const made = await lstat(folder).catch(() => undefined);
  // In a shared folder, such as that for temporary files, other users have their own.
  if (made === undefined || made.uid !== process.getuid?.()) return false;
  return pid === process.pid ? made.birthtimeMs < Date.now() - process.uptime() * 1_000 : !isAlive(pid);
}
