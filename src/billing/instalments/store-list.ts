// The SQL of the list of instalment plans.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import type { InstalmentPlan, InstalmentPlanState } from './instalment-plan.ts';
import { PLAN_COLUMNS, toPlan } from './store.ts';

export type InstalmentPlanQuery = PageQuery & {
  readonly accountId?: string;
  readonly state?: InstalmentPlanState;
  readonly externalId?: string;
  readonly customerId?: string;
};

/** A page of plans, newest first, and their total number. */
export async function readInstalmentPlanPage(
  sql: Sql,
  query: InstalmentPlanQuery,
): Promise<{ plans: InstalmentPlan[]; total: number }> {
  const { accountId, state, externalId, customerId } = query;
  const { rows, total } = await readNewest(sql, query, {
    from: 'instalment_plans p',
    columns: PLAN_COLUMNS,
    equals: {
      account_id: accountId,
      state,
      external_id: externalId,
      customer_id: customerId,
    },
    read: toPlan,
  });
  return { plans: rows, total };
}
