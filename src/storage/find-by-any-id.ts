// Finds objects by an id of any kind, as people paste them into the search box.
import { uuidIn } from '../lib/ids.ts';
import type { Sql } from './database.ts';

export type FoundById<Kind extends string> = {
  readonly kind: Kind;
  readonly id: string;
  /** The kind of id that matched. */
  readonly by: string;
  readonly accountId: string;
};

const MAX_FOUND = 20;

/**
 * `statements` has one for each kind of id, by its name: it selects `id` and `account_id` by $1, the text, or by $2, the text as a UUID, which
 * is null for other texts. Both parameters must be used. `accountId` restricts the search to one account.
 *
 * @example
 * export const findDisputesByAnyId = finderByAnyId('dispute', {
 *   id: 'select id, account_id from disputes where id = $2::uuid',
 *   return: 'select id, account_id from disputes where return_reference = $1',
 * });
 */
export function finderByAnyId<Kind extends string>(kind: Kind, statements: Readonly<Record<string, string>>) {
  const matches = Object.entries(statements).map(
    ([by, statement]) => `select id, account_id, '${by}' as by from (${statement}) matching`,
  );
  return async (sql: Sql, text: string, accountId?: string): Promise<FoundById<Kind>[]> => {
    const rows = await sql.query<{ id: string; account_id: string; by: string }>(
      `select distinct id, account_id, by from (${matches.join(' union all ')}) found
        where $3::text is null or account_id = $3 limit ${MAX_FOUND}`,
      [text, uuidIn(text), accountId ?? null],
    );
    return rows.map(({ id, by, account_id }) => ({ kind, id, by, accountId: account_id }));
  };
}
