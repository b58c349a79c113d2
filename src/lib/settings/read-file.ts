// Reads a file that a setting names: a secret, or the file with structured settings.
import { closeSync, openSync, readSync } from 'node:fs';
import { openSealed } from './sealed-file.ts';

export type ReadFile = (path: string) => string;

const MAX_FILE_BYTES = 1024 * 1024;

/** UTF-8 text of at most a mebibyte. A pipe is read to its end, so that `NAME_FILE=<(command)` works in a shell. */
export const readTextFile: ReadFile = path => {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let length = 0;
    for (;;) {
      const count = readSync(file, buffer, length, buffer.length - length, null);
      if (count === 0) break;
      length += count;
      if (length > MAX_FILE_BYTES) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' });
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } finally {
    closeSync(file);
  }
};

/** The same for a file that may be sealed. */
export const readSecretText: ReadFile = path => textOfSecret(readTextFile, path);

/** The content of a file that may be sealed. */
export function textOfSecret(readFile: ReadFile, path: string): string {
  return openSealed(Buffer.from(readFile(path))).toString('utf8');
}

/** The text, or a fault as a message. Path and content are not repeated: someone may put a secret in place of the path. */
export function tryReadFile(readFile: ReadFile, path: string): { readonly text: string } | { readonly fault: string } {
  try {
    return { text: readFile(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    return { fault: `the file cannot be read (${code})` };
  }
}
