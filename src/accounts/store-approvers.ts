// The SQL of approvers: which of them may still act.
import type { Sql } from '../storage/database.ts';

/** The actors that may act: valid keys, people who may log in, the operator and a sandbox. */
export async function findActive(sql: Sql, actors: readonly string[], now: Date): Promise<ReadonlySet<string>> {
  const rows = await sql.query<{ actor: string }>(
    `select actor from unnest($1::text[]) as actor
      where actor in ('operator', 'sandbox')
         or actor like 'key:%' and exists (
              select from api_keys k
               where k.id = substr(actor, 5) and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2))
         or actor like 'person:%' and exists (
              select from people p
               where p.id = case when actor like 'person:%' then substr(actor, 8)::uuid end and p.removed_at is null)`,
    [actors, now],
  );
  return new Set(rows.map(({ actor }) => actor));
}
