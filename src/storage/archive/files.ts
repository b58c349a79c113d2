// The files of the archive: one for each block, with its SHA-256 beside it in the format of `sha256sum`. Rows are removed from the
// database only after `writeBlock` has returned.
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { sha256Of } from '../backup/format.ts';
import { type Block, formatBlock, gunzipText, gzipBlock, parseBlock, parseRow, pathOfBlock } from './block.ts';

const HASH_ENDING = '.sha256';

/**
 * Writes a block and its hash, flushes them to disk, and reads them back. An identical block stays as it is. A block with the same events
 * and other content is replaced: personal data was erased since, from it or from an earlier block whose hash it has. A restored database
 * reaches such blocks again. Refuses to replace other rows, erased rows by rows that are not erased, and any line of the audit log.
 */
export async function writeBlock(dir: string, block: Block): Promise<void> {
  const place = pathOfBlock(block);
  await makeFolders(dir, place.slice(0, -1));
  const file = path.join(dir, ...place);
  const found = await tryRead(file);
  if (found === undefined || !holdsSame(found, block, file)) await replace(dir, file, gzipBlock(block));
  await writeHash(dir, file, await readFile(file));
  if (formatBlock(await readBlock(file)) !== formatBlock(block))
    throw new StartError(`${file} could not be read back as it was written.`);
}

async function writeHash(dir: string, file: string, bytes: Buffer): Promise<void> {
  await replace(dir, file + HASH_ENDING, `${sha256Of(bytes)}  ${path.basename(file)}\n`);
}

/** Reads a file and compares it with the hash beside it. */
async function readHashed(file: string): Promise<Buffer> {
  const [bytes, hash] = [await tryRead(file), await tryRead(file + HASH_ENDING)];
  if (bytes === undefined) throw new StartError(`${file} cannot be read.`);
  if (hash === undefined) throw new StartError(`${file}${HASH_ENDING} cannot be read.`);
  if (hash.toString() !== `${sha256Of(bytes)}  ${path.basename(file)}\n`) {
    throw new StartError(`${file} does not match its ${HASH_ENDING}.`);
  }
  return bytes;
}

/** The block in a file; refuses a file that does not match the hash beside it or has another block's name. */
export async function readBlock(file: string): Promise<Block> {
  const block = parseBlock(gunzipText(await readHashed(file), file), file);
  if (path.basename(file) !== pathOfBlock(block).at(-1)) throw new StartError(`${file} has the name of another block.`);
  return block;
}

/** True when the file has exactly this block; false when this block may replace it. */
function holdsSame(found: Buffer, block: Block, file: string): boolean {
  const other = parseBlock(gunzipText(found, file), file);
  if (formatBlock(other) === formatBlock(block)) return true;
  const rowsIn = ({ rows }: Block) => rows.map(row => parseRow(row, file) as Row);
  const [theirs, ours] = [rowsIn(other), rowsIn(block)];
  if (block.kind === 'events' && theirs.every(({ id }, index) => id === ours[index]?.id)) {
    // A restored database has again what was erased after its backup.
    if (!theirs.some((row, index) => isErased(row) && !isErased(ours[index]))) return false;
    throw new StartError(
      `${file} lacks personal data that the restored database has again: repeat trilho payer erase first; nothing is removed until then.`,
    );
  }
  throw new StartError(`${file} holds other rows than the database; nothing is removed until it is moved away.`);
}

type Row = { readonly id?: unknown; readonly object?: { readonly customer?: { readonly document?: unknown } } };

/** An erased document is replaced by zeros, which no payer has. */
function isErased(row: Row | undefined): boolean {
  const document = row?.object?.customer?.document;
  return typeof document === 'string' && /^0+$/.test(document);
}

/** One draft for all files, so that the rest of a crash, which may have personal data, is overwritten by the next. */
async function replace(dir: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeDurably(file, content, { draft: path.join(dir, 'draft.partial') });
}

/** Inside `dir`, which must exist: when its disk is not mounted, nothing may be written. */
async function makeFolders(dir: string, names: readonly string[]): Promise<void> {
  let folder = dir;
  for (const name of names) {
    const parent = folder;
    folder = path.join(folder, name);
    try {
      await mkdir(folder, { mode: 0o700 });
    } catch (error) {
      if ((error as { code?: string }).code === 'EEXIST') continue;
      throw error;
    }
    await syncFolder(parent);
  }
}

async function tryRead(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined;
    throw error;
  }
}
