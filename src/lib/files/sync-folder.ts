// Writes the names in a folder to disk, after a rename or a new file.
import { open } from 'node:fs/promises';

/** Returns when a crash of the machine can no longer undo changes of names in the folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
