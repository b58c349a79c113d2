// The SQL of single instalment plans, and of their charges.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { InstalmentPlan, PlanEnd } from './instalment-plan.ts';

const STORED = `id, account_id, external_id, description, metadata, amount_cents, currency, instalment_count, customer_id, state,
  link_epoch, event_count, created_at, updated_at`;

/** The select list of a plan, from `instalment_plans p`. */
export const PLAN_COLUMNS = `${STORED.replaceAll(/\w+/g, 'p.$&')},
  (select count(*)::integer from charges c
    where c.instalment_plan_id = p.id and c.account_id = p.account_id and not c.is_paid_in_part
      and c.state in ('PAID', 'SETTLED', 'PARTIALLY_REFUNDED', 'REFUNDED')) as paid_count`;
type PlanRow = RowOf<InstalmentPlan>;
export const toPlan = recordOf<InstalmentPlan>(`${STORED}, paid_count`, ['amountCents']);

/** Inserts a plan; false when its id or its externalId is taken. */
export async function insertInstalmentPlan(tx: Sql, plan: InstalmentPlan, contentHash: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into instalment_plans (${STORED}, content_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, decode($15, 'hex'))
     on conflict do nothing returning id`,
    [
      plan.id,
      plan.accountId,
      plan.externalId,
      plan.description,
      plan.metadata && JSON.stringify(plan.metadata),
      plan.amountCents,
      plan.currency,
      plan.instalmentCount,
      plan.customerId,
      plan.state,
      plan.linkEpoch,
      plan.eventCount,
      plan.createdAt,
      plan.updatedAt,
      contentHash,
    ],
  );
  return rows.length > 0;
}

/** `accountId` restricts the search to one account. */
export async function findInstalmentPlan(
  sql: Sql,
  id: string,
  accountId?: string,
): Promise<InstalmentPlan | undefined> {
  const [row] = await sql.query<PlanRow>(
    `select ${PLAN_COLUMNS} from instalment_plans p where p.id = $1 and ($2::text is null or p.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toPlan(row);
}

/** Locks its row until the transaction ends, and reads it. */
export async function findAndLockInstalmentPlan(
  tx: Sql,
  id: string,
  accountId?: string,
): Promise<InstalmentPlan | undefined> {
  await tx.query('select from instalment_plans where id = $1 and ($2::text is null or account_id = $2) for update', [
    id,
    accountId ?? null,
  ]);
  return findInstalmentPlan(tx, id, accountId);
}

/** The end of a plan that was open; the caller holds the lock of the row. */
export async function endPlan(
  tx: Sql,
  { id, accountId, state, eventCount, updatedAt }: InstalmentPlan & { readonly state: PlanEnd },
): Promise<void> {
  await tx.query(
    `update instalment_plans set state = $3, event_count = $4, updated_at = $5 where id = $1 and account_id = $2 and state = 'OPEN'`,
    [id, accountId, state, eventCount, updatedAt],
  );
}

/** The plans whose first instalment is one of these charges, so that a plan is found once however its charges are divided. */
export async function findPlansOfCharges(sql: Sql, chargeIds: readonly string[]): Promise<InstalmentPlan[]> {
  const rows = await sql.query<PlanRow>(
    `select ${PLAN_COLUMNS}
       from charges first join instalment_plans p on p.id = first.instalment_plan_id and p.account_id = first.account_id
      where first.id = any($1) and first.instalment_number = 1
      order by p.id`,
    [chargeIds],
  );
  return rows.map(toPlan);
}

/** Removes what callers wrote about the plans of these charges; returns the ids of those plans. */
export async function eraseNotes(tx: Sql, chargeIds: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `with plans as (
       select id, account_id from instalment_plans
        where (id, account_id) in (
          select instalment_plan_id, account_id from charges where id = any($1) and instalment_plan_id is not null)
        order by id for update)
     update instalment_plans p set description = null, metadata = null
       from plans where p.id = plans.id and p.account_id = plans.account_id returning p.id`,
    [chargeIds],
  );
  return rows.map(({ id }) => id);
}

/** The caller holds the lock of the row. */
export async function storeLinkEpoch(tx: Sql, { id, accountId, linkEpoch }: InstalmentPlan): Promise<void> {
  await tx.query('update instalment_plans set link_epoch = $3 where id = $1 and account_id = $2', [
    id,
    accountId,
    linkEpoch,
  ]);
}
