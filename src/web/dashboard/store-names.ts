// The SQL of the names behind the ids of the audit log.
import { isUuid } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';

export type ObjectKind =
  | 'account'
  | 'key'
  | 'person'
  | 'customer'
  | 'instalment plan'
  | 'wallet'
  | 'charge'
  | 'order'
  | 'webhook';
export type NamedObject = { readonly kind: ObjectKind; readonly name?: string };

/** Names of objects by their ids, including removed people, revoked keys and removed wallets. */
export async function readObjectNames(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, NamedObject>> {
  const given = [...new Set(ids)];
  const rows = await sql.query<{ kind: ObjectKind; id: string; name: string | null }>(
    `select 'account' as kind, a.id, coalesce(s.display_name, a.id) as name
       from accounts a left join account_settings s on s.account_id = a.id where a.id = any($1)
      union all select 'key', id, name from api_keys where id = any($1)
      union all select 'person', id::text, name from people where id = any($2::uuid[])
      union all select 'wallet', id::text, name from wallets where id = any($2::uuid[])
      union all select 'customer', id::text, name from customers where id = any($2::uuid[])
      union all select 'instalment plan', id::text, external_id from instalment_plans where id = any($2::uuid[])
      union all select 'charge', id::text, external_id from charges where id = any($2::uuid[])
      union all select 'order', id::text, external_id from orders where id = any($2::uuid[])
      union all select 'webhook', id::text, url from webhooks where id = any($2::uuid[])`,
    [given, given.filter(id => isUuid(id))],
  );
  return new Map(rows.map(({ kind, id, name }) => [id, { kind, ...(name !== null && { name }) }]));
}
