// A backup as a folder with a file for each entry. It gets its name only when it is complete and on disk.
import { existsSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { findAbandoned, makeDraft, removeFolder, removeOwn } from '../../lib/files/drafts.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import { type Entry, HEADER, MANIFEST, readHeader, readManifest, rowsOf, sha256Of } from './format.ts';
import { compareParts, damaged } from './load.ts';

const UNFINISHED = /.+\.partial-/;

/** Calls `fill` with a function that writes an entry. Refuses a name that is taken; a failure leaves nothing under it. */
export async function writeFolder<T>(
  folder: string,
  fill: (write: (entry: Entry) => Promise<void>) => Promise<T>,
): Promise<T> {
  if (existsSync(folder)) throw new StartError(`${folder} exists already; a backup replaces nothing.`);
  const draft = await openDraft(folder);
  try {
    // Only its owner may read it: it has the data of payers and callers.
    const filled = await fill(async ({ name, bytes }) => {
      const file = await open(path.join(draft, name), 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
    });
    await syncFolder(draft);
    await checkFolder(draft);
    await rename(draft, folder);
    await syncFolder(path.dirname(path.resolve(folder)));
    return filled;
  } catch (error) {
    await removeFolder(draft);
    throw error;
  }
}

/** A draft beside the folder. Drafts of killed backups are removed: they have all payers' data. */
async function openDraft(folder: string): Promise<string> {
  const parent = path.dirname(path.resolve(folder));
  try {
    for (const abandoned of await findAbandoned(parent, UNFINISHED)) await removeFolder(abandoned);
    return await makeDraft(parent, `${path.basename(folder)}.partial-`);
  } catch (error) {
    throw new StartError(`${folder} cannot be written (${(error as { code?: string }).code}).`);
  }
}

/** Removes the unfinished folder of this process. */
export function removeUnfinishedFolder(folder: string): Promise<void> {
  return removeOwn(path.dirname(path.resolve(folder)), UNFINISHED);
}

/** The entries in the order of a backup, unverified: the reader compares them with the manifest. */
export async function* readFolder(folder: string): AsyncGenerator<Entry> {
  const manifest = await readEntry(folder, MANIFEST);
  yield await readEntry(folder, HEADER);
  for (const { name } of readManifest(manifest.bytes).parts) yield await readEntry(folder, name);
  yield manifest;
}

/** Reads every file back from disk and compares it with the manifest. */
export async function checkFolder(folder: string): Promise<void> {
  const { parts, headerSha256 } = readManifest((await readEntry(folder, MANIFEST)).bytes);
  const header = await readEntry(folder, HEADER);
  readHeader(header.bytes);
  if (sha256Of(header.bytes) !== headerSha256) throw damaged(`${HEADER} was changed`);
  for (const part of parts) {
    const entry = await readEntry(folder, part.name);
    const found = { ...part, rows: rowsOf(entry).length, sha256: sha256Of(entry.bytes) };
    compareParts([part], [found]);
  }
}

async function readEntry(folder: string, name: string): Promise<Entry> {
  try {
    return { name, bytes: await readFile(path.join(folder, name)) };
  } catch (error) {
    const { code } = error as { code?: string };
    throw new StartError(
      `${path.join(folder, name)} cannot be read (${code}): the backup is incomplete, or the folder is not a backup.`,
    );
  }
}
