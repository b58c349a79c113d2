// The SQL of the list of charges filtered by payer, method or amount. Only documents have an index; for the other filters the newest
// charges are searched, up to a limit, so that a page costs the same however many charges there are.
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Charge } from '../charge.ts';
import { namePattern } from '../plain-name.ts';
import type { ChargeQuery } from './list.ts';
import { chargesOf } from './of-customer.ts';
import { CHARGE_COLUMNS, type ChargeRow, toCharge } from './row.ts';
import { SEARCHED_CHARGES } from './search.ts';

/** Filters without kept counts. */
export type ChargeFilter = {
  /** Part of the payer's name, in any case and with any accents. */
  readonly name?: string | undefined;
  readonly document?: string | undefined;
  /** Bounds of the amount in reais, both inclusive. */
  readonly fromCents?: number | undefined;
  readonly toCents?: number | undefined;
  /** It can, or could, be paid by this method. */
  readonly method?: Method | undefined;
  /** It was paid by this method. */
  readonly paidBy?: Method | undefined;
};

export type Filtered<T> = {
  readonly rows: readonly T[];
  /** How many match among those that were searched. */
  readonly total: number;
  /** Charges from before this time were not searched; absent: all were. */
  readonly searchedTo?: Date;
};

/** A page of charges, newest first. */
export async function readFilteredCharges(
  sql: Sql,
  query: ChargeQuery,
  filter: ChargeFilter,
  searched = SEARCHED_CHARGES,
): Promise<Filtered<Charge>> {
  const { accountId, sourceKey, state, externalId, ofCustomer } = query;
  const equals = {
    account_id: accountId,
    source_key: sourceKey,
    state,
    external_id: externalId,
    "customer ->> 'document'": filter.document,
  };
  const always = ofCustomer && 'id in (select id from mine)';
  const { where, limit, offset, values } = pageSql(query, equals, always);
  // The page number was not given.
  values.pop();
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const mine = ofCustomer ? `${chargesOf(ofCustomer, parameter)}, ` : '';
  const conditions: string[] = [];
  const { name, fromCents, toCents, method, paidBy } = filter;
  if (fromCents !== undefined) conditions.push(`payable_cents >= ${parameter(fromCents)}`);
  if (toCents !== undefined) conditions.push(`payable_cents <= ${parameter(toCents)}`);
  if (name !== undefined) conditions.push(`name ~ ${parameter(namePattern(name))}`);
  if (method !== undefined) conditions.push(hasSome('charge_methods', parameter(method)));
  if (paidBy !== undefined) conditions.push(hasSome('payments', parameter(paidBy)));
  const rows = await sql.query<FilteredRow>(
    `with ${mine}newest as materialized (
            select id, account_id, created_at, payable_cents, customer ->> 'name' as name
              from charges ${where} order by created_at desc, id desc limit ${parameter(searched)}),
          fitting as materialized (
            select id, created_at from newest n${conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''}),
          found as materialized (
            select (select count(*) from fitting) as total,
                   (select case when count(*) >= ${parameter(searched)}::integer then min(created_at) end from newest) as searched_to,
                   array(select id from fitting order by created_at desc, id desc limit ${limit} offset ${offset}) as ids)
     select found.total, found.searched_to, ${CHARGE_COLUMNS}
       from found left join charges c on c.id = any (found.ids)
      order by c.created_at desc, c.id desc`,
    values,
  );
  const { total, searched_to: searchedTo } = rows[0]!;
  return {
    rows: rows.filter(hasCharge).map(toCharge),
    total: Number(total),
    ...(searchedTo !== null && { searchedTo }),
  };
}

/** `limit` makes this an index lookup for each charge; a join would read the whole table. */
const hasSome = (table: 'charge_methods' | 'payments', method: string) =>
  `(select true from ${table} t where t.charge_id = n.id and t.account_id = n.account_id and t.method = ${method} limit 1)`;

/** An empty page is one row without a charge. */
type FilteredRow = { total: string; searched_to: Date | null } & (ChargeRow | { id: null });

function hasCharge(row: FilteredRow): row is FilteredRow & ChargeRow {
  return row.id !== null;
}
