// Opens the database server of the settings: that of DATABASE_URL, or the embedded one, which keeps running if it already does.
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
  /** Whether to take over the WAL archive of the database from which this one was restored. */
  readonly takesOver?: boolean;
};

type OpenServer = {
  readonly connection: pg.PoolConfig;
  /** The location of the data, as text for a person. */
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
