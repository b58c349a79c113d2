// The database of a drill: a cluster of its own in a temporary folder, which is gone when the drill ends or is interrupted.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stopAllPrograms } from '../bench/programs.ts';
import { createLog, type Log } from '../src/lib/log.ts';
import { type Database, openDatabase } from '../src/storage/database.ts';
import { startEmbeddedPostgres } from '../src/storage/embedded/postgres.ts';

export type DrillDatabase = {
  /** A folder for files of the drill. */
  readonly dir: string;
  readonly socketDir: string;
  readonly clusterDir: string;
  readonly url: string;
  readonly db: Database;
  readonly log: Log;
};

/** The exit code of the process is what `drill` returns. */
export async function withDrillDatabase(name: string, drill: (at: DrillDatabase) => Promise<number>): Promise<void> {
  // What is killed on purpose is not worth a line.
  const log = createLog('fatal', process.stderr);
  const dir = await mkdtemp(path.join(tmpdir(), `trilho-${name}-`));
  const { connection, clusterDir, stop } = await startEmbeddedPostgres({ dataDir: dir, log });
  const socketDir = connection.host ?? '';
  const url = `postgres:///postgres?host=${encodeURIComponent(socketDir)}&user=trilho`;
  const db = openDatabase({ connection: { connectionString: url }, log });
  const interrupted = new Promise<number>(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
  });
  try {
    process.exitCode = await Promise.race([drill({ dir, socketDir, clusterDir, url, db, log }), interrupted]);
  } finally {
    await stopAllPrograms();
    await db.close();
    await stop();
    // An interrupted drill may still write there.
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    // Started by root, the cluster may lie outside of `dir`.
    await rm(path.dirname(clusterDir), { recursive: true, force: true });
  }
  // What an interrupted drill was waiting for must not keep the process.
  process.exit();
}
