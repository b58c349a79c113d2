// The SQL of the lists of subscriptions and of cycles. Every filter has an index.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import { type CycleRow, SELECTED, SELECTED_CYCLE, type SubscriptionRow, toCycle, toSubscription } from './store.ts';
import type { Cycle, Subscription, SubscriptionStatus } from './subscription.ts';

export type SubscriptionQuery = PageQuery & {
  readonly accountId?: string;
  readonly customerId?: string;
  readonly planId?: string;
  readonly status?: SubscriptionStatus;
  readonly externalId?: string;
};

/** A page of subscriptions, newest first, and their total number. */
export async function readSubscriptionPage(
  sql: Sql,
  query: SubscriptionQuery,
): Promise<{ subscriptions: Subscription[]; total: number }> {
  const { accountId, customerId, planId, status, externalId } = query;
  const { where, limit, offset, values } = pageSql(query, {
    account_id: accountId,
    customer_id: customerId,
    plan_id: planId,
    status,
    external_id: externalId,
  });
  // The last value is the page number, which this statement does not use.
  values.pop();
  const rows = await sql.query<SubscriptionRow & { total: string }>(
    `with found as not materialized (select id, created_at from subscriptions ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, one.*
       from (select count(*) as total from found) counted
       left join (page join (select ${SELECTED} from subscriptions) one using (id)) on true
      order by one.created_at desc, one.id desc`,
    values,
  );
  return {
    subscriptions: rows.filter(row => row.id !== null).map(toSubscription),
    total: Number(rows[0]!.total),
  };
}

/** A page of the cycles of a subscription, the last first, and their total number. */
export async function readCyclePage(
  sql: Sql,
  subscriptionId: string,
  { page, pageSize }: PageQuery,
): Promise<{ cycles: Cycle[]; total: number }> {
  const [rows, [counted]] = await Promise.all([
    sql.query<CycleRow>(
      `select ${SELECTED_CYCLE} from subscription_cycles where subscription_id = $1 order by number desc limit $2 offset $3`,
      [subscriptionId, pageSize, BigInt(page - 1) * BigInt(pageSize)],
    ),
    sql.query<{ total: string }>('select count(*) as total from subscription_cycles where subscription_id = $1', [
      subscriptionId,
    ]),
  ]);
  return { cycles: rows.map(toCycle), total: Number(counted!.total) };
}
