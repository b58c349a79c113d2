// The SQL of the list of charges.
import type { PageQuery } from '../../lib/paging.ts';
import { FOUND_PAGE, pageValues } from '../../storage/counted-list.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { Charge, ChargeState } from '../charge.ts';
import { chargesOf, type OfCustomer } from './of-customer.ts';
import { CHARGE_COLUMNS, type ChargeRow, toCharge } from './row.ts';

export type ChargeQuery = PageQuery & {
  readonly accountId?: string;
  readonly state?: ChargeState;
  readonly externalId?: string;
  readonly sourceKey?: string;
  readonly ofCustomer?: OfCustomer;
};

/** A page of charges, newest first, and how many there are. One statement reads both, and so one snapshot. */
export async function readChargePage(sql: Sql, query: ChargeQuery): Promise<{ charges: Charge[]; total: number }> {
  const { found, values, ...options } = foundBy(query);
  const rows = await sql.query<ListRow>(
    `with ${found}
     select found.total, ${CHARGE_COLUMNS}
       from found left join charges c on c.id = any (found.ids)
      order by c.created_at desc, c.id desc`,
    values,
    options,
  );
  return { charges: rows.filter(hasCharge).map(toCharge), total: Number(rows[0]!.total) };
}

/** An empty page is one row with the total alone. */
type ListRow = { total: string } & (ChargeRow | { id: null });

function hasCharge(row: ListRow): row is { total: string } & ChargeRow {
  return row.id !== null;
}

/** Few charges share an externalId, at most one per account, or a customer: count them directly. */
function foundBy(query: ChargeQuery): { found: string; values: unknown[]; name?: string } {
  const { accountId, sourceKey, state, externalId, ofCustomer } = query;
  if (externalId === undefined && ofCustomer === undefined) {
    const values = pageValues('charges', { accountId, label: sourceKey, state }, query);
    return { found: FOUND_PAGE, values, name: 'charges_page' };
  }
  const equals = { external_id: externalId, account_id: accountId, source_key: sourceKey, state };
  const always = ofCustomer && 'id in (select id from mine)';
  const { where, limit, offset, values } = pageSql(query, equals, always);
  // The page number was not given.
  values.pop();
  const mine = ofCustomer ? `${chargesOf(ofCustomer, value => `$${values.push(value)}`)}, ` : '';
  const found = `${mine}found as materialized (
    select (select count(*) from charges ${where}) as total,
           array(select id from charges ${where} order by created_at desc, id desc limit ${limit} offset ${offset}) as ids)`;
  return { found, values };
}
