// A base backup: a copy of the files of a running embedded database between pg_backup_start and pg_backup_stop. Files change
// while they are copied; replaying the write-ahead log of that time makes them consistent.
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { mkdir, open, readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { findAbandoned, makeDraft, removeFolder, removeOwn } from '../../lib/files/drafts.ts';
import { syncFolder } from '../../lib/files/sync-folder.ts';
import type { Database, Sql } from '../database.ts';
import { BASE_FILE, type Base, baseFolder, checkFiles, type KeptBase } from './wal-archive.ts';

type CopiedFile = Base['files'][number];

/** Folders whose content a server recreates at its start; only the empty folders are kept. */
const EMPTIED = new Set([
  'pg_wal',
  'pg_wal/archive_status',
  'pg_wal/summaries',
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
]);
const NOT_COPIED =
  /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*|pgsql_tmp.*|pg_internal\.init.*|backup_label.*|recovery\.signal|trilho\.wal-archive)$/;
const CHUNK_BYTES = 1024 * 1024;
const SYNCS_AT_ONCE = 64;
/** The server waits for the archive; when that takes longer, the archive does not work. */
const STOP_LIMIT_MS = 600_000;

const UNFINISHED = /\.base-/;

/** Returns when the copy is on disk, was read back, and all of the log that it needs is in the archive. */
export async function takeBaseBackup(db: Database, clusterDir: string, archiveDir: string): Promise<KeptBase> {
  for (const folder of await findAbandoned(archiveDir, UNFINISHED)) await removeFolder(folder);
  const draft = await makeDraft(archiveDir, '.base-');
  let hasBegun = false;
  try {
    return await db.transaction(
      async tx => {
        if (hasBegun)
          throw new StartError('The connection to the database was lost during the backup; start it again.');
        hasBegun = true;
        await tx.query('set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
        const [begun] = await tx.query<{ at: Date; segment: string }>(
          `select clock_timestamp() as at, pg_walfile_name(pg_backup_start('trilho', true)) as segment`,
        );
        const copied = await copyCluster(clusterDir, draft);
        const { label, lsn, endedAt } = await endBackup(tx);
        const base: Base = {
          startedAt: begun!.at.toISOString(),
          endedAt: endedAt.toISOString(),
          firstSegment: begun!.segment,
          stopLsn: lsn,
          label,
          ...copied,
        };
        await writeFile(path.join(draft, BASE_FILE), `${JSON.stringify(base)}\n`, { mode: 0o600, flush: true });
        await syncAll(
          [...base.files.map(file => file.path), ...base.folders, '.'].map(place => path.join(draft, place)),
        );
        await checkFiles({ ...base, folder: draft });
        const folder = baseFolder(archiveDir, begun!.at);
        await rename(draft, folder);
        // Older ones may be removed next.
        await syncFolder(archiveDir);
        return { ...base, folder };
      },
      { isLong: true },
    );
  } catch (error) {
    await removeFolder(draft);
    throw error;
  }
}

/** Removes the unfinished base backup of this process. */
export function removeUnfinishedBase(archiveDir: string): Promise<void> {
  return removeOwn(archiveDir, UNFINISHED);
}

async function endBackup(tx: Sql): Promise<{ label: string; lsn: string; endedAt: Date }> {
  await tx.query(`set local statement_timeout = ${STOP_LIMIT_MS}`);
  const [row] = await tx.query<{ label: string; lsn: string; ended_at: Date }>(
    'select labelfile as label, lsn::text, clock_timestamp() as ended_at from pg_backup_stop(true)',
  );
  return { label: row!.label, lsn: row!.lsn, endedAt: row!.ended_at };
}

async function copyCluster(from: string, to: string): Promise<{ files: CopiedFile[]; folders: string[] }> {
  const files: CopiedFile[] = [];
  const folders: string[] = [];
  // One buffer for all: there are thousands of files, most of them small.
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const visit = async (folder: string): Promise<void> => {
    for (const item of await listOf(path.join(from, folder))) {
      const place = path.posix.join(folder, item.name);
      if (NOT_COPIED.test(item.name)) continue;
      if (item.isDirectory()) {
        folders.push(place);
        await mkdir(path.join(to, place), { mode: 0o700 });
        await visit(place);
      } else if (item.isFile() && !EMPTIED.has(folder)) {
        const copied = await copyFile(path.join(from, place), path.join(to, place), chunk);
        if (copied) files.push({ path: place, ...copied });
      }
    }
  };
  await visit('');
  return { files, folders };
}

/** Many at once: the disk writes waiting files together. */
async function syncAll(places: readonly string[]): Promise<void> {
  for (let from = 0; from < places.length; from += SYNCS_AT_ONCE) {
    await Promise.all(places.slice(from, from + SYNCS_AT_ONCE).map(syncFolder));
  }
}

async function listOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Undefined when the file was removed meanwhile, such as that of a dropped table. */
async function copyFile(from: string, to: string, chunk: Buffer): Promise<Omit<CopiedFile, 'path'> | undefined> {
  const source = await open(from).catch(error => {
    if (isGone(error)) return undefined;
    throw error;
  });
  if (!source) return undefined;
  const target = await open(to, 'wx', 0o600);
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    for (;;) {
      const { bytesRead } = await source.read(chunk, 0, chunk.length, bytes);
      if (bytesRead === 0) break;
      digest.update(chunk.subarray(0, bytesRead));
      await target.writeFile(chunk.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    return { bytes, sha256: digest.digest('hex') };
  } finally {
    await source.close();
    await target.close();
  }
}

function isGone(error: unknown): boolean {
  return (error as { code?: string }).code === 'ENOENT';
}
