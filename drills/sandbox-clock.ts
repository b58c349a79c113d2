// Moves the clock of a sandbox, and reads how often its tables were scanned during the move.
import { request } from 'node:http';
import type { Sql } from '../src/storage/database.ts';

/** By `request`, because `fetch` gives up after five minutes, which a busy machine needs. Returns the new time. */
export async function moveClock(serviceUrl: string, advance: string): Promise<Date> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const headers = { 'content-type': 'application/json' };
  request(`${serviceUrl}/sandbox/clock`, { method: 'POST', headers }, answer => {
    let text = '';
    answer.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('error', reject).on('end', () => {
      if (answer.statusCode === 200) resolve(text);
      else reject(new Error(`the clock answered ${answer.statusCode} ${text}`));
    });
  })
    .on('error', reject)
    .end(JSON.stringify({ advance }));
  const { now } = JSON.parse(await promise) as { now: string };
  return new Date(now);
}

export async function sequentialScans(sql: Sql, tables: readonly string[]): Promise<Map<string, number>> {
  await sql.query('select pg_stat_clear_snapshot()');
  const rows = await sql.query<{ relname: string; scans: number }>(
    'select relname, seq_scan::int as scans from pg_stat_user_tables where relname = any($1)',
    [tables],
  );
  return new Map(rows.map(({ relname, scans }) => [relname, scans]));
}
