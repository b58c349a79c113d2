// Which version the tables of the job queue have in a database, which pg-boss brings up to date itself, and whether they have our
// indexes.
import type { Sql } from '../storage/database.ts';
import { QUEUE_INDEXES, QUEUE_SCHEMA } from './boss.ts';

/** Undefined where no service has started yet. */
export async function readQueueVersion(sql: Sql): Promise<number | undefined> {
  const [found] = await sql.query<{ name: string | null }>(
    `select to_regclass('${QUEUE_SCHEMA}.version')::text as name`,
  );
  if (!found?.name) return undefined;
  const [row] = await sql.query<{ version: number }>(`select version::int from ${QUEUE_SCHEMA}.version`);
  return row?.version;
}

export async function hasQueueIndexes(sql: Sql): Promise<boolean> {
  const names = QUEUE_INDEXES.map(({ name }) => `${QUEUE_SCHEMA}.${name}`);
  const [row] = await sql.query<{ has: boolean }>(
    'select bool_and(to_regclass(name) is not null) as has from unnest($1::text[]) as name',
    [names],
  );
  return row?.has ?? false;
}
