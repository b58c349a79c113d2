// The SQL that finds instalment plans by an id of any kind.
import { isUuid } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';

export type FoundPlan = {
  readonly kind: 'instalment plan';
  readonly id: string;
  /** By what it was found. */
  readonly by: string;
  readonly accountId: string;
};

const MAX_FOUND = 20;

/** By the id or the externalId. */
export async function findPlansByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundPlan[]> {
  const rows = await sql.query<{ id: string; account_id: string; by: string }>(
    `select id, account_id, 'id' as by from instalment_plans where id = $1::uuid and ($3::text is null or account_id = $3)
     union all
     select id, account_id, 'external id' from instalment_plans
      where external_id = $2 and ($3::text is null or account_id = $3)
      limit ${MAX_FOUND}`,
    [isUuid(text.toLowerCase()) ? text.toLowerCase() : null, text, accountId ?? null],
  );
  return rows.map(({ id, account_id, by }) => ({ kind: 'instalment plan', id, by, accountId: account_id }));
}
