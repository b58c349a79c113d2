// Writes a file that appears under its name, or replaces an existing one, only when it is completely on disk.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from './sync-folder.ts';

type Options = {
  /** The path of the draft, so that the next write overwrites the rest of a crash. When absent, each draft has its own name. */
  readonly draft?: string;
  /** Prepares the draft before it is synchronised, such as by changing its owner. */
  readonly prepare?: (handle: FileHandle) => Promise<void>;
  /** Called with the path of the draft when it is on disk; if it throws, the old file stays as it was. */
  readonly check?: (draft: string) => Promise<void>;
};

/** Returns when a crash of the machine cannot undo it. Only its owner may read the file; a failure leaves no draft. */
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
