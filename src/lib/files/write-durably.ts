// A file that appears under its name, or takes the place of the one there, when all of it is on disk.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './sync-folder.ts';

type Options = {
  /** Where the draft is: the next writing takes what a crash has left there. Otherwise each has a name of its own. */
  readonly draft?: string;
  /** What is done with the draft before it is synchronised, such as a change of its owner. */
  readonly prepare?: (handle: FileHandle) => Promise<void>;
  /** Called with the path of the draft when it is on disk; what it throws leaves the old file as it was. */
  readonly check?: (draft: string) => Promise<void>;
};

/** Returns when no crash of the machine can undo it. Only its owner may read the file; a failure leaves no draft. */
export async function writeDurably(file: string, content: string | Uint8Array, options: Options = {}): Promise<void> {
  const folder = path.dirname(file);
  const draft = options.draft ?? path.join(folder, `.${path.basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    const handle = await open(draft, options.draft === undefined ? 'wx' : 'w', 0o600);
    try {
      await handle.writeFile(content);
      await options.prepare?.(handle);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await options.check?.(draft);
    await rename(draft, file);
    await syncFolder(folder);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
