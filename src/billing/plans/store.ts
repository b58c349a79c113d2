// The SQL of plans.
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Plan } from './plan.ts';

const COLUMNS = `id, account_id, external_id, name, amount_cents, currency, interval, day, trial_days, cycles, methods, is_automatic, days_ahead,
  past_due_after_days, unpaid_action, unpaid_after_days, description, fine_percent, interest_percent, symbol, network, settlement_schedule, metadata,
  is_archived, event_count, created_at, updated_at`;
type PlanRow = RowOf<Plan>;
const toPlan = recordOf<Plan>(COLUMNS, ['amountCents']);

/** Inserts a plan; false when its id or its externalId is taken. */
export async function insertPlan(tx: Sql, plan: Plan, hash: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into plans (${COLUMNS}, content_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
             $27, $28)
     on conflict do nothing returning id`,
    [...valuesOf(plan), hash],
  );
  return rows.length > 0;
}

/** Replaces a plan, whose row the caller has locked. */
export async function updatePlan(tx: Sql, plan: Plan): Promise<void> {
  await tx.query(
    `update plans
        set (external_id, name, amount_cents, currency, interval, day, trial_days, cycles, methods, is_automatic, days_ahead,
             past_due_after_days, unpaid_action, unpaid_after_days, description, fine_percent, interest_percent, symbol, network, settlement_schedule,
             metadata, is_archived, event_count, created_at, updated_at)
          = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
             $26, $27)
      where id = $1 and account_id = $2`,
    valuesOf(plan),
  );
}

function valuesOf(plan: Plan): unknown[] {
  return [
    plan.id,
    plan.accountId,
    plan.externalId,
    plan.name,
    plan.amountCents,
    plan.currency,
    plan.interval,
    plan.day,
    plan.trialDays,
    plan.cycles,
    plan.methods,
    plan.isAutomatic,
    plan.daysAhead,
    plan.pastDueAfterDays,
    plan.unpaidAction,
    plan.unpaidAfterDays,
    plan.description,
    plan.finePercent,
    plan.interestPercent,
    plan.symbol,
    plan.network,
    plan.settlementSchedule,
    plan.metadata && JSON.stringify(plan.metadata),
    plan.isArchived,
    plan.eventCount,
    plan.createdAt,
    plan.updatedAt,
  ];
}

/** `accountId` restricts the search to one account. */
export async function findPlan(
  sql: Sql,
  id: string,
  accountId?: string,
  { isLocked = false } = {},
): Promise<Plan | undefined> {
  const [row] = await sql.query<PlanRow>(
    `select ${COLUMNS} from plans where id = $1 and ($2::text is null or account_id = $2)${isLocked ? ' for update' : ''}`,
    [id, accountId ?? null],
  );
  return row && toPlan(row);
}

export type PlanQuery = PageQuery & {
  readonly accountId?: string;
  readonly externalId?: string;
};

/** A page of plans, newest first, and their total number. */
export async function readPlanPage(sql: Sql, query: PlanQuery): Promise<{ plans: Plan[]; total: number }> {
  const { accountId, externalId } = query;
  const { rows, total } = await readNewest(sql, query, {
    from: 'plans',
    columns: COLUMNS,
    equals: { account_id: accountId, external_id: externalId },
    read: toPlan,
  });
  return { plans: rows, total };
}
