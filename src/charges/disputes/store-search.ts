// The SQL that finds disputes by an id of any kind.
import type { Sql } from '../../storage/database.ts';
import { uuidIn } from '../store/search.ts';

export type FoundDispute = {
  readonly kind: 'dispute';
  readonly id: string;
  /** By what it was found. */
  readonly by: string;
  readonly accountId: string;
};

const MAX_FOUND = 20;

/** By the id, or by the bank's id of the return. */
export async function findDisputesByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundDispute[]> {
  const rows = await sql.query<{ id: string; account_id: string; by: string }>(
    `select id, account_id, 'id' as by from disputes where id = $1::uuid and ($3::text is null or account_id = $3)
     union all
     select id, account_id, 'return' from disputes where return_reference = $2 and ($3::text is null or account_id = $3)
      limit ${MAX_FOUND}`,
    [uuidIn(text), text, accountId ?? null],
  );
  return rows.map(({ id, account_id, by }) => ({ kind: 'dispute', id, by, accountId: account_id }));
}
