// The SQL that finds the object that an earlier request created, in a table with an id, an externalId and the hash of its content.
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { FirstOne, Records } from './once.ts';

const toFirst = recordOf<FirstOne>('id, content_hash');

/** `hash`: how the statement reads the hash as text. */
export function firstsIn(table: string, hash = 'content_hash'): Pick<Records<FirstOne>, 'byId' | 'byExternalId'> {
  const findBy = (column: string) => async (sql: Sql, accountId: string, value: string) => {
    const [row] = await sql.query<RowOf<FirstOne>>(
      `select id, ${hash} as content_hash from ${table} where ${column} = $1 and account_id = $2`,
      [value, accountId],
    );
    return row && toFirst(row);
  };
  return { byId: findBy('id'), byExternalId: findBy('external_id') };
}

/** For tables that keep the hash as bytes. */
export const HASH_OF_BYTES = `encode(content_hash, 'hex')`;
