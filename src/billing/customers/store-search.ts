// The SQL that finds customers by an id of any kind, or by what people type of them.
import type { Sql } from '../../storage/database.ts';
import { type FoundById, finderByAnyId } from '../../storage/find-by-any-id.ts';
import { readCustomerPage } from './store-list.ts';

/** By the id, also of one that was erased, or by the externalId. */
export const findCustomersByAnyId = finderByAnyId('customer', {
  id: 'select id, account_id from customers where id = $2::uuid',
  'external id': 'select id, account_id from customers where external_id = $1 and erased_at is null',
});

const MAX_FOUND = 20;

/** By words of the name or the e-mail, or by the whole document. */
export async function findCustomersByWords(
  sql: Sql,
  search: string,
  accountId?: string,
): Promise<FoundById<'customer'>[]> {
  const { customers } = await readCustomerPage(sql, {
    page: 1,
    pageSize: MAX_FOUND,
    search,
    ...(accountId !== undefined && { accountId }),
  });
  return customers.map(({ id, accountId: of }) => ({ kind: 'customer', id, by: 'customer', accountId: of }));
}
