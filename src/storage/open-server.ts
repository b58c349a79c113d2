// The database server of the settings: that of DATABASE_URL, or the embedded one, which may be running already and then goes on
// running.
import type pg from 'pg';
import { StartError } from '../lib/errors.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { shownUrl } from './connect.ts';
import { startEmbeddedPostgres } from './embedded/postgres.ts';

export type ServerSettings = {
  readonly databaseUrl?: string | undefined;
  readonly dataDir: string;
  readonly walArchive?: string | undefined;
  /** Whether the WAL archive of the database that this one was restored from becomes its own. */
  readonly takesOver?: boolean;
};

export type OpenServer = {
  readonly connection: pg.PoolConfig;
  /** Where the data lives, as text for a person. */
  readonly place: string;
  stop(): Promise<void>;
};

export async function openServer(
  { databaseUrl, dataDir, walArchive: archiveDir, takesOver = false }: ServerSettings,
  { log, heartbeats }: { readonly log: Log; readonly heartbeats?: Heartbeats },
): Promise<OpenServer> {
  if (databaseUrl === undefined) {
    const embedded = await startEmbeddedPostgres({ dataDir, log, heartbeats, archiveDir, takesOver });
    return { connection: embedded.connection, place: embedded.clusterDir, stop: embedded.stop };
  }
  if (archiveDir !== undefined) {
    throw new StartError(
      'TRILHO_WAL_ARCHIVE is for the embedded database; with DATABASE_URL the server archives its log itself.',
    );
  }
  return { connection: { connectionString: databaseUrl }, place: shownUrl(databaseUrl), stop: async () => {} };
}
