// The state of a server's archiving of its write-ahead log, embedded or external.
import type { Sql } from './database.ts';

export type ArchiverState = {
  readonly lastArchivedAt: Date | undefined;
  /** The last attempt has failed, or a segment waits too long; the server keeps retrying, and keeps its log until it succeeds. */
  readonly isFailing: boolean;
  readonly hasFailed: boolean;
  /** Since when that segment waits, since a hanging attempt has not failed. Unknown where the user lacks the right to ask. */
  readonly waitsSince: Date | undefined;
  /** The folder to which the embedded database archives. */
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

/** In a separate statement: the right to list the folder is checked even when no row is read. */
async function findWaiting(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ since: Date | null }>(
    `select min(modification) as since from pg_ls_archive_statusdir()
      where name like '%.ready' and modification < clock_timestamp() - ${MAX_WAIT_MINUTES} * interval '1 minute'`,
  );
  return row?.since ?? undefined;
}
