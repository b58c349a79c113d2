// The SQL of the lists of subscriptions and of cycles. Every filter has an index.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import { type CycleRow, SELECTED, SELECTED_CYCLE, toCycle, toSubscription } from './store.ts';
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
  const { rows, total } = await readNewest(sql, query, {
    from: 'subscriptions',
    columns: SELECTED,
    equals: {
      account_id: accountId,
      customer_id: customerId,
      plan_id: planId,
      status,
      external_id: externalId,
    },
    read: toSubscription,
  });
  return { subscriptions: rows, total };
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
