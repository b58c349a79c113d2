// The SQL that finds mandates by an id of any kind.
import { uuidIn } from '../../charges/store/search.ts';
import type { Sql } from '../../storage/database.ts';

export type FoundMandate = {
  readonly kind: 'mandate';
  readonly id: string;
  /** By what it was found. */
  readonly by: string;
  readonly accountId: string;
};

const MAX_FOUND = 20;

/** By the id, the externalId, or the id of a collection, also as its txid. */
export async function findMandatesByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundMandate[]> {
  const rows = await sql.query<{ id: string; account_id: string; by: string }>(
    `select id, account_id, 'id' as by from mandates where id = $1::uuid and ($3::text is null or account_id = $3)
     union all
     select id, account_id, 'external id' from mandates
      where external_id = $2 and ($3::text is null or account_id = $3)
     union all
     select mandate_id, account_id, 'collection' from mandate_collections
      where id = $1::uuid and ($3::text is null or account_id = $3)
      limit ${MAX_FOUND}`,
    [uuidIn(text), text, accountId ?? null],
  );
  return rows.map(({ id, account_id, by }) => ({ kind: 'mandate', id, by, accountId: account_id }));
}
