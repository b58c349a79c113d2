// The WAL archive: finished segments of the write-ahead log in `wal`, copied by the server's own module, and base backups in
// folders beside it. A base backup and the log after it give the database as it was at any moment since.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from 'typebox';
import { StartError } from '../../lib/errors.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { checkSchema } from '../../lib/settings/check-schema.ts';
import { giveTo, type Home, ownedBy } from './home.ts';
import type { ServerSettings } from './server-process.ts';
import { HISTORY, type Histories, parseHistory, SEGMENT } from './timelines.ts';

/** After this time a segment is archived although it is not full: the most that a lost machine may cost. */
const ARCHIVE_AFTER_SECONDS = 300;
/** The module's name for a segment that it is copying. */
const UNFINISHED = /^archtemp/;
const ABANDONED_AFTER_MS = 86_400_000;

const CHUNK_BYTES = 1024 * 1024;

export const BASE_FILE = 'base.json';
const BASE_NAME = /^base-\d{8}T\d{6}Z$/;

const strict = { additionalProperties: false };
const Text = Type.String({ minLength: 1, maxLength: 4096 });
const Base = Type.Object(
  {
    /** The base is consistent from the end of the copy. */
    startedAt: Text,
    endedAt: Text,
    /** The first segment that recovery needs. */
    firstSegment: Type.String({ pattern: SEGMENT.source }),
    /** The position that the log must reach before the base is consistent. */
    stopLsn: Type.Optional(Type.String({ pattern: '^[0-9A-F]+/[0-9A-F]+$' })),
    label: Text,
    files: Type.Array(
      Type.Object({ path: Text, bytes: Type.Integer(), sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }) }, strict),
    ),
    folders: Type.Array(Text),
  },
  strict,
);
export type Base = Static<typeof Base>;
export type KeptBase = Base & { readonly folder: string };

export function walFolder(archiveDir: string): string {
  return path.join(archiveDir, 'wal');
}

export function baseFolder(archiveDir: string, startedAt: Date): string {
  return path.join(archiveDir, `base-${startedAt.toISOString().replace(/[-:]|\.\d+/g, '')}`);
}

export async function makeArchive(archiveDir: string, { identity }: Home): Promise<void> {
  const wal = walFolder(archiveDir);
  try {
    await mkdir(wal, { recursive: true, mode: 0o700 });
    await giveTo(identity, archiveDir);
    await giveTo(identity, wal);
  } catch (error) {
    throw new StartError(`TRILHO_WAL_ARCHIVE ${archiveDir} cannot be used (${(error as { code?: string }).code}).`);
  }
}

/** The settings for the start of the server. */
export function archiveSettings(archiveDir: string): ServerSettings {
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': walFolder(archiveDir),
    archive_timeout: String(ARCHIVE_AFTER_SECONDS),
  };
}

/**
 * Archives the history files of this database's timelines, which the server does only if it archives while a restore ends. With these files
 * the next restore follows the log past an earlier one, and takes an unused number for its own timeline.
 */
export async function archiveHistories(archiveDir: string, { clusterDir, identity }: Home): Promise<void> {
  const [from, to] = [path.join(clusterDir, 'pg_wal'), walFolder(archiveDir)];
  for (const name of (await readdir(from)).filter(file => HISTORY.test(file))) {
    const target = path.join(to, name);
    const history = await readFile(path.join(from, name));
    if (existsSync(target)) {
      if (history.equals(await readFile(target))) continue;
      throw new StartError(`TRILHO_WAL_ARCHIVE ${archiveDir} has the log of another database: ${name}.`);
    }
    await writeDurably(target, history, ownedBy(identity));
  }
}

export type ArchivedLog = { readonly segments: ReadonlySet<string>; readonly histories: Histories };

export async function readLog(archiveDir: string): Promise<ArchivedLog> {
  const wal = walFolder(archiveDir);
  const names = existsSync(wal) ? await readdir(wal) : [];
  const histories = new Map<number, ReturnType<typeof parseHistory>>();
  for (const name of names.filter(file => HISTORY.test(file))) {
    histories.set(Number.parseInt(name, 16), parseHistory(await readFile(path.join(wal, name), 'utf8')));
  }
  return { segments: new Set(names.filter(name => SEGMENT.test(name))), histories };
}

type Bases = {
  /** Oldest first. */
  readonly bases: readonly KeptBase[];
  /** Folders whose description cannot be read: they are useless, but do not prevent the use of others. */
  readonly skipped: readonly string[];
};

export async function readBases(archiveDir: string): Promise<Bases> {
  if (!existsSync(archiveDir)) throw new StartError(`There is no WAL archive in ${archiveDir}.`);
  const names = (await readdir(archiveDir)).filter(name => BASE_NAME.test(name)).sort();
  const found = await Promise.all(names.map(name => readBase(path.join(archiveDir, name))));
  return {
    bases: found.filter(one => typeof one !== 'string'),
    skipped: found.filter(one => typeof one === 'string'),
  };
}

/** Only the folder when it is damaged. */
async function readBase(folder: string): Promise<KeptBase | string> {
  try {
    const checked = checkSchema(Base, JSON.parse(await readFile(path.join(folder, BASE_FILE), 'utf8')));
    return 'value' in checked ? { ...checked.value, folder } : folder;
  } catch {
    return folder;
  }
}

/** Reads every file of a base backup back from disk and compares it with its hash. */
export async function checkFiles({ folder, files }: KeptBase): Promise<void> {
  // One buffer for all: there are thousands of files, most of them small.
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (const { path: place, sha256 } of files) {
    const found = await digestOf(path.join(folder, place), chunk).catch(() => undefined);
    if (found !== sha256) throw new StartError(`The base backup ${folder} is damaged: ${place}.`);
  }
}

async function digestOf(file: string, chunk: Buffer): Promise<string> {
  const handle = await open(file);
  try {
    const digest = createHash('sha256');
    for (let bytes = 0; ; ) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, bytes);
      if (bytesRead === 0) return digest.digest('hex');
      digest.update(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

/** Removes all but the newest bases, and the segments that only the removed ones need. Returns how many of each. */
export async function pruneArchive(archiveDir: string, keep: number): Promise<{ bases: number; segments: number }> {
  const { bases } = await readBases(archiveDir);
  const removed = bases.slice(0, -keep);
  if (removed.length === 0) return { bases: 0, segments: 0 };
  // After a restore to an earlier moment a newer base may begin before an older one.
  const [first = ''] = bases
    .slice(-keep)
    .map(({ firstSegment }) => positionOf(firstSegment))
    .sort();
  for (const { folder } of removed) await rm(folder, { recursive: true });
  const wal = walFolder(archiveDir);
  const needless = (await readdir(wal)).filter(name => SEGMENT.test(name) && positionOf(name) < first);
  for (const name of [...needless, ...(await abandonedIn(wal))]) await rm(path.join(wal, name), { force: true });
  return { bases: removed.length, segments: needless.length };
}

/** The first eight digits are the timeline; positions continue through all of them. */
function positionOf(segment: string): string {
  return segment.slice(8);
}

/** Unfinished copies after a crash. One that is a day old is not being written. */
async function abandonedIn(wal: string): Promise<string[]> {
  const names = (await readdir(wal)).filter(name => UNFINISHED.test(name));
  const ages = await Promise.all(names.map(async name => Date.now() - (await stat(path.join(wal, name))).mtimeMs));
  return names.filter((_name, place) => (ages[place] ?? 0) > ABANDONED_AFTER_MS);
}
