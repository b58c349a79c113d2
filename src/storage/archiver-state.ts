// What the server says of the archiving of its write-ahead log, the embedded one and one's own alike.
import type { Sql } from './database.ts';

export type ArchiverState = {
  readonly lastArchivedAt: Date | undefined;
  /** The last attempt has failed; the server goes on trying, and keeps its log until it succeeds. */
  readonly isFailing: boolean;
  /** Where the embedded database archives to. */
  readonly folder: string | undefined;
};

/** Undefined where nothing is archived. */
export async function readArchiver(sql: Sql): Promise<ArchiverState | undefined> {
  const [row] = await sql.query<{ at: Date | null; fails: boolean; folder: string | null }>(
    `select last_archived_time as at, coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails,
            current_setting('basic_archive.archive_directory', true) as folder
       from pg_stat_archiver
      where current_setting('archive_mode') <> 'off'`,
  );
  return row && { lastArchivedAt: row.at ?? undefined, isFailing: row.fails, folder: row.folder ?? undefined };
}
