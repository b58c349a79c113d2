// The SQL that finds customers by an id of any kind, or by what people type of them.
import { isUuid } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import { readCustomerPage } from './store-list.ts';

export type FoundCustomer = {
  readonly kind: 'customer';
  readonly id: string;
  /** By what it was found. */
  readonly by: string;
  readonly accountId: string;
};

const MAX_FOUND = 20;

/** By the id, also of one that was erased, or by the externalId. */
export async function findCustomersByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundCustomer[]> {
  const rows = await sql.query<{ id: string; account_id: string; by: string }>(
    `select id, account_id, 'id' as by from customers where id = $1::uuid and ($3::text is null or account_id = $3)
     union all
     select id, account_id, 'external id' from customers
      where external_id = $2 and erased_at is null and ($3::text is null or account_id = $3)
      limit ${MAX_FOUND}`,
    [isUuid(text.toLowerCase()) ? text.toLowerCase() : null, text, accountId ?? null],
  );
  return rows.map(({ id, account_id, by }) => ({ kind: 'customer', id, by, accountId: account_id }));
}

/** By words of the name or the e-mail, or by the whole document. */
export async function findCustomersByWords(sql: Sql, search: string, accountId?: string): Promise<FoundCustomer[]> {
  const { customers } = await readCustomerPage(sql, {
    page: 1,
    pageSize: MAX_FOUND,
    search,
    ...(accountId !== undefined && { accountId }),
  });
  return customers.map(({ id, accountId: of }) => ({ kind: 'customer', id, by: 'customer', accountId: of }));
}
