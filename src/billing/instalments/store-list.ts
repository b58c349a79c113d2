// The SQL of the list of instalment plans.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { pageSql } from '../../storage/page.ts';
import type { InstalmentPlan, InstalmentPlanState } from './instalment-plan.ts';
import { PLAN_COLUMNS, type PlanRow, toPlan } from './store.ts';

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
  const { where, limit, offset, values } = pageSql(query, {
    account_id: accountId,
    state,
    external_id: externalId,
    customer_id: customerId,
  });
  // The last value is the page number, which this statement does not use.
  values.pop();
  const rows = await sql.query<PlanRow & { total: string }>(
    `with found as not materialized (select id, created_at from instalment_plans ${where}),
          page as (select id from found order by created_at desc, id desc limit ${limit} offset ${offset})
     select counted.total, ${PLAN_COLUMNS}
       from (select count(*) as total from found) counted
       left join (page join instalment_plans p using (id)) on true
      order by p.created_at desc, p.id desc`,
    values,
  );
  return { plans: rows.filter(row => row.id !== null).map(toPlan), total: Number(rows[0]!.total) };
}
