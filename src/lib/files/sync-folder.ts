// Names of files in a folder, as a rename or a new file changes them, written to disk.
import { open } from 'node:fs/promises';

/** Returns when a crash of the machine can no longer undo what was created, renamed or removed in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
