// The SQL of screening: answers about addresses, with the list.
import type { Network } from '../chains/asset.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { ScreeningResult } from './screening-hook.ts';
import type { ListIdentity } from './screening-list.ts';

type ScreeningRecord = {
  readonly network: Network;
  readonly address: string;
  readonly source: 'list' | 'hook';
  readonly result: ScreeningResult;
  /** The list that decided; absent for the hook. */
  readonly list?: ListIdentity;
  readonly words?: string;
};

/** A repeated answer keeps its row, which gets the newest time. */
export async function recordScreening(sql: Sql, record: ScreeningRecord, at: Date): Promise<void> {
  const { network, address, source, result, list, words } = record;
  await sql.query(
    `insert into address_screenings (network, address, source, result, list_digest, list_date, words, first_at, last_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8)
     on conflict (network, address, source, result, list_digest) do update
       set last_at = greatest(address_screenings.last_at, excluded.last_at), words = excluded.words`,
    [network, address, source, result, list?.digest ?? '', list?.date ?? null, words ?? null, at],
  );
}

/** The last answer of the hook about the address; undefined when it was never asked. */
export async function newestHookResult(
  sql: Sql,
  network: Network,
  address: string,
): Promise<ScreeningResult | undefined> {
  const [row] = await sql.query<Row & { result: ScreeningResult }>(
    `select result from address_screenings where network = $1 and address = $2 and source = 'hook' and result <> 'unknown'
      order by last_at desc, result desc limit 1`,
    [network, address],
  );
  return row?.result;
}

export type ScreeningHit = ScreeningRecord & { readonly firstAt: Date; readonly lastAt: Date };

/** The newest hits of list and hook. */
export async function listHits(sql: Sql, limit: number): Promise<ScreeningHit[]> {
  const rows = await sql.query<HitRow>(
    `select network, address, source, list_digest, to_char(list_date, 'YYYY-MM-DD') as list_date, words, first_at, last_at
       from address_screenings where result = 'hit' order by last_at desc, network, address, source limit $1`,
    [limit],
  );
  return rows.map(row => ({
    network: row.network,
    address: row.address,
    source: row.source,
    result: 'hit',
    ...(row.list_digest !== '' && {
      list: { digest: row.list_digest, ...(row.list_date !== null && { date: row.list_date }) },
    }),
    ...(row.words !== null && { words: row.words }),
    firstAt: row.first_at,
    lastAt: row.last_at,
  }));
}

type HitRow = Row & {
  network: Network;
  address: string;
  source: 'list' | 'hook';
  list_digest: string;
  list_date: string | null;
  words: string | null;
  first_at: Date;
  last_at: Date;
};
