// Verifies files of the archive: each file by itself, that each continues where the previous one ended, and that a folder is the archive
// of a database.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { followLines, type Head, type SealedLine } from '../audit-chain.ts';
import {
  ARCHIVE_KINDS,
  type ArchiveKind,
  BLOCK_SIZE,
  type Block,
  hashOfBlock,
  parseRow,
  pathOfBlock,
} from './block.ts';
import type { Cut } from './cuts.ts';
import { readBlock } from './files.ts';

/** The content of the files of one kind, and their final hash. */
export type Checked = { readonly kind: ArchiveKind; readonly files: number; readonly first: number } & Head;

const IS_RECORD = new RegExp(`^(${ARCHIVE_KINDS.join('|')})-\\d+-\\d+\\.`);

/**
 * Verifies a file, or every file of records in a folder, and throws at the first fault. `known`: audit lines that the files must have.
 */
export async function checkArchive(place: string, known: readonly Head[] = []): Promise<readonly Checked[]> {
  const checked = new Map<ArchiveKind, Checked>();
  for (const file of await filesIn(place)) {
    const block = await readBlock(file);
    const before = checked.get(block.kind);
    if (before && (before.position + 1 !== block.first || before.hash !== block.previous)) {
      throw new StartError(`${file} does not continue where the file before it ended, at ${before.position}.`);
    }
    const { first = block.first, files = 0 } = before ?? {};
    checked.set(block.kind, { kind: block.kind, files: files + 1, first, ...endOf(block, file, known) });
  }
  if (checked.size === 0) throw new StartError(`${place} has no archive file.`);
  return [...checked.values()];
}

export function notTheArchive(message: string): StartError {
  return new StartError(
    `TRILHO_ARCHIVE_DIR is not the folder of this archive, or not mounted; nothing is removed: ${message}`,
  );
}

/** Refuses a folder without the last moved block: the wrong folder, or one whose disk is not mounted. */
export async function requireBlockBefore(dir: string, kind: ArchiveKind, cut: Cut): Promise<void> {
  if (cut.position === 0) return;
  const file = path.join(dir, ...pathOfBlock({ kind, first: cut.position - BLOCK_SIZE + 1, last: cut.position }));
  const end = await readBlock(file)
    .then(block => endOf(block, file))
    .catch(({ message }: Error) => {
      throw notTheArchive(message);
    });
  if (end.hash !== cut.hash) throw notTheArchive(`${file} is not the block that was moved last.`);
}

/** An audit block ends with the hash of its last line, one of events with that of its content. */
function endOf(block: Block, file: string, known: readonly Head[] = []): Head {
  if (block.kind === 'events') return { position: block.last, hash: hashOfBlock(block) };
  // Only the hashes decide whether these are lines of the log.
  const lines = block.rows.map(row => parseRow(row, file) as SealedLine);
  const { head, broken } = followLines({ position: block.first - 1, hash: block.previous }, lines);
  if (broken) throw new StartError(`${file}: line ${broken.position}: ${broken.reason}.`);
  const other = known.find(({ position, hash }) =>
    lines.some(line => line.position === position && line.hash !== hash),
  );
  if (other) throw new StartError(`${file}: line ${other.position}: it is not the one that was recorded.`);
  return head;
}

/** Names hold positions of a fixed length, so their order is that of the rows. */
async function filesIn(place: string): Promise<string[]> {
  const found = await stat(place).catch(() => undefined);
  if (!found) throw new StartError(`${place} cannot be read.`);
  if (!found.isDirectory()) return [place];
  const names = await readdir(place, { recursive: true });
  return names
    .filter(name => name.endsWith('.ndjson.gz') && IS_RECORD.test(path.basename(name)))
    .sort()
    .map(name => path.join(place, name));
}
