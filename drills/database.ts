// The database of a drill: its own cluster in a temporary folder, which is removed when the drill ends or is interrupted.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stopAllPrograms } from '../bench/programs.ts';
import { createLog, type Log } from '../src/lib/log.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';
import { shutDown } from '../src/storage/embedded/server-process.ts';

export type DrillDatabase = {
  /** A folder for files of the drill. */
  readonly dir: string;
  readonly socketDir: string;
  readonly clusterDir: string;
  readonly url: string;
  readonly db: Database;
  readonly log: Log;
  /** Where the small disk is, if there is one. */
  readonly ownDisk: string | undefined;
  /** Shuts the server down, with open sessions too, until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
};

type Options = {
  /** The data lies on a disk of this size, in memory; without the right to make one, on that of the machine. */
  readonly diskBytes?: number;
};

/** The exit code of the process is what `drill` returns. */
export async function withDrillDatabase(
  name: string,
  drill: (at: DrillDatabase) => Promise<number>,
  { diskBytes }: Options = {},
): Promise<void> {
  // A deliberate kill is not reported.
  const log = createLog('fatal', process.stderr);
  const dir = await mkdtemp(path.join(tmpdir(), `trilho-${name}-`));
  const dataDir = path.join(dir, 'data');
  await mkdir(dataDir);
  const hasOwnDisk = diskBytes !== undefined && mountDisk(dataDir, diskBytes);
  let server = await startEmbeddedPostgres({ dataDir, log });
  const { connection, clusterDir } = server;
  const socketDir = connection.host ?? '';
  const stop = async () => {
    // Ends what would start it again; it leaves the server to others that use it.
    await server.stop();
    await shutDown(clusterDir);
  };
  const start = async () => {
    server = await startEmbeddedPostgres({ dataDir, log });
  };
  const ownDisk = hasOwnDisk && clusterDir.startsWith(dataDir) ? dataDir : undefined;
  const url = `postgres:///postgres?host=${encodeURIComponent(socketDir)}&user=trilho`;
  const db = openDatabase({ connection: { connectionString: url }, log });
  const interrupted = new Promise<number>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
  });
  try {
    process.exitCode = await Promise.race([
      drill({ dir, socketDir, clusterDir, url, db, log, ownDisk, stop, start }),
      interrupted,
    ]);
  } finally {
    await stopAllPrograms();
    await db.close();
    await stop();
    if (hasOwnDisk) spawnSync('umount', [dataDir]);
    // An interrupted drill may still write there.
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    // Started by root, the cluster may lie outside of `dir`.
    await rm(path.dirname(clusterDir), { recursive: true, force: true });
  }
  // What an interrupted drill was waiting for must not keep the process.
  process.exit();
}

/** Only root may. */
function mountDisk(place: string, bytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0700`, 'tmpfs', place]).status === 0;
}
