// A folder from which a person or a program takes files to the bank. A file appears there completely or not at all.
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';

/** The name of a file to a bank: `sicoob-main-000007.rem`. */
export function outgoingName(rail: string, sequence: number): string {
  return `${rail.replaceAll(':', '-')}-${String(sequence).padStart(6, '0')}.rem`;
}

type PlacedFile = {
  readonly name: string;
  /** SHA-256 of all parts, in hexadecimal digits. */
  readonly digest: string;
  readonly parts: AsyncIterable<Buffer>;
};

/**
 * Puts a file into a folder and returns its path; the same file again changes nothing. Refuses a folder that cannot be written to, and a
 * name that another file has.
 */
export async function placeFile(folder: string, { name, digest, parts }: PlacedFile): Promise<string> {
  const place = path.join(folder, name);
  const found = await digestOf(place);
  if (found === digest) return place;
  if (found !== undefined) throw refused(folder, `has another file named ${name}`);
  // Programs that transfer files to banks skip names that begin with a dot.
  const draft = path.join(folder, `.${name}.${randomUUID()}`);
  try {
    const written = await writeDraft(draft, parts);
    if (written !== digest) throw new Error('the stored bytes of a file do not have its digest');
    await rename(draft, place);
    await syncFolder(folder);
    return place;
  } catch (error) {
    await rm(draft, { force: true });
    const code = codeOf(error);
    throw code === undefined ? error : refused(folder, `cannot be written to (${code})`);
  }
}

async function writeDraft(draft: string, parts: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(draft, 'wx', 0o640);
  try {
    for await (const part of parts) {
      hash.update(part);
      await file.writeFile(part);
    }
    // Synchronised before it gets its name: after a loss of power the name must not point to half a file.
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/** Undefined when there is no file. */
async function digestOf(place: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(place)) hash.update(part);
    return hash.digest('hex');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw refused(path.dirname(place), `cannot be read (${codeOf(error) ?? 'unknown'})`);
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function refused(folder: string, message: string): AppError {
  return new AppError('not_configured', `The folder ${folder} ${message}.`);
}
