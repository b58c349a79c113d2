// What a server, embedded or external, reports about the archiving of its write-ahead log.
import type { Sql } from './database.ts';

export type ArchiverState = {
  readonly lastArchivedAt: Date | undefined;
  /** The last attempt has failed, or a segment waits for too long; the server goes on trying, and keeps its log until it succeeds. */
  readonly isFailing: boolean;
  readonly hasFailed: boolean;
  /** Since when that segment waits: an attempt that hangs has not failed. Not known where the user may not ask. */
  readonly waitsSince: Date | undefined;
  /** Where the embedded database archives to. */
  readonly folder: string | undefined;
};

/** Copying a segment takes seconds. */
const MAX_WAIT_MINUTES = 15;

/** Undefined where nothing is archived. */
export async function readArchiver(sql: Sql): Promise<ArchiverState | undefined> {
  const [row] = await sql.query<{ at: Date | null; fails: boolean; folder: string | null; may_list: boolean }>(
    `select last_archived_time as at, coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as fails,
            current_setting('basic_archive.archive_directory', true) as folder,
            has_function_privilege('pg_ls_archive_statusdir()', 'execute') as may_list
       from pg_stat_archiver
      where current_setting('archive_mode') <> 'off'`,
  );
  if (!row) return undefined;
  const waitsSince = row.may_list ? await findWaiting(sql) : undefined;
  return {
    lastArchivedAt: row.at ?? undefined,
    isFailing: row.fails || waitsSince !== undefined,
    hasFailed: row.fails,
    waitsSince,
    folder: row.folder ?? undefined,
  };
}

/** In a statement of its own: the right to list the folder is asked for before any row is read. */
async function findWaiting(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ since: Date | null }>(
    `select min(modification) as since from pg_ls_archive_statusdir()
      where name like '%.ready' and modification < clock_timestamp() - ${MAX_WAIT_MINUTES} * interval '1 minute'`,
  );
  return row?.since ?? undefined;
}
