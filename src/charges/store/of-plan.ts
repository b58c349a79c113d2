// The charges of an instalment plan: its instalments, and those for the rest of one that was paid in part.
import type { Sql } from '../../storage/database.ts';

type OfPlan = { readonly id: string; readonly accountId: string };

/** A common table, `mine`, with the id of each; both steps have an index. It takes two parameters. */
export function chargesOfPlan({ id, accountId }: OfPlan, parameter: (value: unknown) => string): string {
  return `mine as (
    select id, account_id, instalment_number from charges
     where instalment_plan_id = ${parameter(id)} and account_id = ${parameter(accountId)}
    union all
    select rest.id, rest.account_id, mine.instalment_number
      from mine join charges rest on rest.remainder_of = mine.id and rest.account_id = mine.account_id)`;
}

/** A charge of a plan, and of which instalment it is: itself, or the one whose rest it asks for. */
type ChargeOfPlan = { readonly id: string; readonly number: number };

/** In the order of the instalments. */
export async function findChargesOfPlan(sql: Sql, plan: OfPlan): Promise<ChargeOfPlan[]> {
  const values: unknown[] = [];
  return sql.query<ChargeOfPlan>(
    `with recursive ${chargesOfPlan(plan, value => `$${values.push(value)}`)}
     select id, instalment_number as number from mine order by instalment_number, id`,
    values,
  );
}
