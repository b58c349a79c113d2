// The SQL of the list of customers. Every filter has an index.
import { isDocument, normaliseDocument } from '../../charges/create/check.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Customer } from './customer.ts';
import { searchQuery } from './search.ts';
import { type CustomerRow, toCustomer } from './store.ts';

export type CustomerQuery = PageQuery & {
  readonly accountId?: string;
  readonly externalId?: string;
  /** As people write it. */
  readonly document?: string;
  /** The whole address, in any case. */
  readonly email?: string;
  /** Beginnings of words of the name, the e-mail, the document or the externalId; or a whole document, as people write it. */
  readonly search?: string;
};

/** A page of customers, newest first, and their total number; without those that were erased. */
export async function readCustomerPage(
  sql: Sql,
  query: CustomerQuery,
): Promise<{ customers: Customer[]; total: number }> {
  const { accountId, externalId, document, email, search } = query;
  const searched = search === undefined ? undefined : normaliseDocument(search);
  const isByDocument = searched !== undefined && isDocument(searched);
  const { where, limit, offset, values } = pageSql(
    query,
    {
      account_id: accountId,
      external_id: externalId,
      document: document === undefined ? (isByDocument ? searched : undefined) : normaliseDocument(document),
      'lower(email)': email?.toLowerCase(),
    },
    'erased_at is null',
  );
  // The last value is the page number, which this statement does not use.
  values.pop();
  const words = search === undefined || isByDocument ? undefined : (searchQuery(search) ?? null);
  // A text without a word finds nothing.
  const matching = words === undefined ? where : `${where} and search @@ $${values.push(words)}::tsquery`;
  const rows = await sql.query<CustomerRow & { total: string }>(
    `with ${foundBy(
      matching,
      [externalId, email, document, search].some(filter => filter !== undefined),
    )},
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, c.*
       from (select count(*) as total from found) counted
       left join (page join customers c using (id)) on true
      order by c.created_at desc, c.id desc`,
    values,
  );
  return { customers: rows.filter(row => row.id !== null).map(toCustomer), total: Number(rows[0]!.total) };
}

/** What few customers have is looked up first: the planner would else walk through all of the account for a page of them. */
function foundBy(matching: string, isRare: boolean): string {
  return `found as ${isRare ? '' : 'not '}materialized (select id, created_at from customers ${matching})`;
}
