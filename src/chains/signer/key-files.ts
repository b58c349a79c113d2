// Files with keys, passwords and PINs: read only if they are not readable by every user of the machine, and written so that a key is never
// lost or replaced. No fault repeats the content of a file or its path: someone may have put the secret where the path belongs.
import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { openSealed } from '../../lib/settings/sealed-file.ts';

const MAX_FILE_BYTES = 100_000;
const READABLE_BY_OTHERS = 0o004;

/** A fault is the end of a sentence about the file. */
export type FileText = { readonly text: string } | { readonly fault: string };

/** UTF-8 text of a file that only this user, or its group, can read. */
export function readKeyFile(file: string): FileText {
  return readFile(file, { isSecret: true });
}

/** UTF-8 text of a file that holds no secret. */
export function readPublicFile(file: string): FileText {
  return readFile(file, { isSecret: false });
}

/** A pipe is read to its end, so that `<(command)` of a shell works. */
function readFile(file: string, { isSecret }: { readonly isSecret: boolean }): FileText {
  try {
    const handle = openSync(file, 'r');
    try {
      const stats = fstatSync(handle);
      if (stats.isDirectory()) return { fault: 'is a folder' };
      // Windows has no such bits. Reading by the group is allowed: that is how orchestrators hand secrets to a user of their own.
      if (isSecret && process.platform !== 'win32' && stats.mode & READABLE_BY_OTHERS) {
        return { fault: 'can be read by every user of this machine; take that away with chmod o-r' };
      }
      return readAll(handle);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    return { fault: `cannot be read (${codeOf(error)})` };
  }
}

function readAll(handle: number): FileText {
  const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSync(handle, buffer, length, buffer.length - length, null);
    if (count === 0) break;
    length += count;
  }
  if (length > MAX_FILE_BYTES) return { fault: 'is too large' };
  const bytes = openSealed(buffer.subarray(0, length));
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? { text } : { fault: 'is not UTF-8 text' };
}

/** One line end at the end of the file is not part of a password or PIN; an empty one is a fault. */
export function readPasswordFile(file: string): FileText {
  const read = readKeyFile(file);
  if ('fault' in read) return read;
  const text = read.text.replace(/\r?\n$/, '');
  return text === '' ? { fault: 'is empty' } : { text };
}

/**
 * Writes a new file for this user only, completely and synchronised to disk, or not at all. An existing file is left alone and is a fault:
 * it may hold the only copy of a key.
 */
export async function writeKeyFile(file: string, text: string): Promise<{ readonly fault: string } | undefined> {
  const folder = path.dirname(file);
  const draft = path.join(folder, `.${path.basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    try {
      // Unlike a rename, a link replaces nothing.
      await link(draft, file);
    } finally {
      await unlink(draft);
    }
    await syncFolder(folder);
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    return { fault: code === 'EEXIST' ? 'exists already' : `cannot be written (${code})` };
  }
}

/** Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
