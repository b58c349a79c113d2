// The service keeps limits, its time zone and prepared statements in a session of the database. A pooler in between may drop the first
// two or change sessions between transactions: money would be counted on the wrong day, and statements would fail at random.
import pg from 'pg';
import { StartError } from '../lib/errors.ts';
import type { Sql } from './database.ts';

/** With PgBouncer. */
const WHAT_TO_SET =
  'set pool_mode = session and ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options there, and timezone, statement_timeout and idle_in_transaction_session_timeout of the role; see «Behind a pooler» in docs/servers.md';

export const REFUSES_SETTINGS = `a pooler in front of it refuses settings of a session: ${WHAT_TO_SET}`;

/** The names of it in servers. */
const UTC = new Set(['UTC', 'Etc/UTC', 'UCT', 'Etc/UCT', 'Universal', 'Etc/Universal', 'Zulu', 'Etc/Zulu']);

/** The settings that name a database. */
type UrlSetting = 'DATABASE_URL' | 'DATABASE_READ_URL';

/** Requires that the settings from the beginning of a session have arrived. */
export async function requireSettings(db: Sql, setting: UrlSetting = 'DATABASE_URL'): Promise<void> {
  const [row] = await db.query<{ zone: string; limits: boolean }>(
    `select current_setting('TimeZone') as zone,
            (select bool_and(setting::bigint > 0) from pg_settings
              where name in ('statement_timeout', 'idle_in_transaction_session_timeout')) as limits`,
  );
  if (UTC.has(row!.zone) && row!.limits) return;
  throw new StartError(
    `A pooler in front of the database, or options in ${setting}, drop settings of a session: ${WHAT_TO_SET}.`,
  );
}

/** A session that is in use elsewhere answers only when that use ends; a busy server answers in time. */
const ANSWER_LIMIT_MS = 20_000;

/** Requires that a session stays the same: while another is in a transaction, it must still be on its own server process. */
export async function requireOwnSession(
  connection: pg.PoolConfig,
  setting: UrlSetting = 'DATABASE_URL',
): Promise<void> {
  const open = () => new pg.Client({ ...connection, query_timeout: ANSWER_LIMIT_MS });
  const [one, other] = [open(), open()];
  for (const client of [one, other]) client.on('error', () => {});
  try {
    await one.connect();
    const first = await processOf(one);
    await other.connect();
    await other.query('begin');
    if (first !== (await processOf(other)) && first === (await processOf(one))) return;
    throw new StartError(
      `A pooler in front of the database of ${setting} changes sessions between transactions: ${WHAT_TO_SET}.`,
    );
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]!.pid;
}
