// The SQL of the list of mandates.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import type { MandateStatus } from './mandate.ts';
import { MANDATE_COLUMNS, type MandateRecord, toMandate } from './store.ts';

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
  const { rows, total } = await readNewest(sql, query, {
    from: 'mandates',
    columns: MANDATE_COLUMNS,
    equals: {
      account_id: accountId,
      status,
      external_id: externalId,
      customer_id: customerId,
    },
    read: toMandate,
  });
  return { mandates: rows, total };
}
