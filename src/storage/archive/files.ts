// The files of the archive: a block each, with its SHA-256 beside it as `sha256sum` writes it. Rows are removed from the database only
// after `writeBlock` has returned.
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { sha256Of } from '../backup/format.ts';
import { type Block, formatBlock, gunzipText, gzipBlock, parseBlock, parseRow, pathOfBlock } from './block.ts';

const HASH_ENDING = '.sha256';

/**
 * Writes a block and its hash, makes the disk keep them, and reads them again. A block that is there already stays as it is. One with the
 * same events and other content is replaced: personal data was erased since, from them or from those of a block before, whose hash they
 * name. A database that was restored comes to such blocks once more. Refuses to replace other rows, rows that were erased by such that
 * are not, and any line of the audit log.
 */
export async function writeBlock(dir: string, block: Block): Promise<void> {
  const place = pathOfBlock(block);
  await makeFolders(dir, place.slice(0, -1));
  const file = path.join(dir, ...place);
  const found = await tryRead(file);
  if (found === undefined || !holdsSame(found, block, file)) await replace(dir, file, gzipBlock(block));
  await writeHash(dir, file, await readFile(file));
  if (formatBlock(await readBlock(file)) !== formatBlock(block))
    throw new StartError(`${file} was not written as it should be.`);
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
    throw new StartError(`${file} is not what its ${HASH_ENDING} says.`);
  }
  return bytes;
}

/** The block in a file that is what the hash beside it says, and has the name of the block. */
export async function readBlock(file: string): Promise<Block> {
  const block = parseBlock(gunzipText(await readHashed(file), file), file);
  if (path.basename(file) !== pathOfBlock(block).at(-1)) throw new StartError(`${file} has the name of another block.`);
  return block;
}

/** True when the file holds this block to the letter; false when it may be replaced by it. */
function holdsSame(found: Buffer, block: Block, file: string): boolean {
  const other = parseBlock(gunzipText(found, file), file);
  if (formatBlock(other) === formatBlock(block)) return true;
  const rowsIn = ({ rows }: Block) => rows.map(row => parseRow(row, file) as Row);
  const [theirs, ours] = [rowsIn(other), rowsIn(block)];
  if (block.kind === 'events' && theirs.every(({ id }, index) => id === ours[index]?.id)) {
    // A database that was restored has again what was erased after its backup.
    if (!theirs.some((row, index) => isErased(row) && !isErased(ours[index]))) return false;
    throw new StartError(
      `${file} lacks personal data that the database has again: repeat trilho payer erase first; nothing is removed until then.`,
    );
  }
  throw new StartError(`${file} holds other rows than the database; nothing is removed until it is moved away.`);
}

type Row = { readonly id?: unknown; readonly object?: { readonly customer?: { readonly document?: unknown } } };

/** No payer has a document of zeros: it stands in the place of one that was erased. */
function isErased(row: Row | undefined): boolean {
  const document = row?.object?.customer?.document;
  return typeof document === 'string' && /^0+$/.test(document);
}

/** One draft for all files, so that what a crash leaves, which may hold personal data, goes with the next one. */
async function replace(dir: string, file: string, content: string | Uint8Array): Promise<void> {
  await writeDurably(file, content, { draft: path.join(dir, 'draft.partial') });
}

/** Within `dir`, which must be there: where its disk is not mounted, nothing is to be written. */
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
