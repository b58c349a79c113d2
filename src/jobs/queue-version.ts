// Which version the tables of the job queue have in a database: pg-boss brings them up to date itself.
import type { Sql } from '../storage/database.ts';
import { QUEUE_SCHEMA } from './boss.ts';

/** Undefined where no service has started yet. */
export async function readQueueVersion(sql: Sql): Promise<number | undefined> {
  const [found] = await sql.query<{ name: string | null }>(
    `select to_regclass('${QUEUE_SCHEMA}.version')::text as name`,
  );
  if (!found?.name) return undefined;
  const [row] = await sql.query<{ version: number }>(`select version::int from ${QUEUE_SCHEMA}.version`);
  return row?.version;
}
