// The SQL of the list of mandates.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { MandateStatus } from './mandate.ts';
import { MANDATE_COLUMNS, type MandateRecord, type MandateRow, toMandate } from './store.ts';

export type MandateQuery = PageQuery & {
  readonly accountId?: string;
  readonly status?: MandateStatus;
  readonly externalId?: string;
  readonly customerId?: string;
};

/** A page of mandates, newest first, and their total number. */
export async function readMandatePage(
  sql: Sql,
  query: MandateQuery,
): Promise<{ mandates: MandateRecord[]; total: number }> {
  const { accountId, status, externalId, customerId } = query;
  const { where, limit, offset, values } = pageSql(query, {
    account_id: accountId,
    status,
    external_id: externalId,
    customer_id: customerId,
  });
  // The last value is the page number, which this statement does not use.
  values.pop();
  const rows = await sql.query<MandateRow & { total: string }>(
    `with found as not materialized (select id, created_at from mandates ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, shown.*
       from (select count(*) as total from found) counted
       left join (select ${MANDATE_COLUMNS} from mandates where id in (select id from page)) shown on true
      order by shown.created_at desc, shown.id desc`,
    values,
  );
  return { mandates: rows.filter(row => row.id !== null).map(toMandate), total: Number(rows[0]!.total) };
}
