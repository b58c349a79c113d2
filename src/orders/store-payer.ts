// The SQL of orders that name a payer: the stored answer to the request that made one shows its charge.
import type { Sql } from '../storage/database.ts';

/** An order is found by its charges; the one in its stored answer is the first it had. */
const OF_CHARGES = `(id, account_id) in (select order_id, account_id from charges where id = any($1))`;

export async function findOrdersOfCharges(sql: Sql, chargeIds: readonly string[]) {
  return sql.query<{ id: string; status: string; charge_id: string; created_at: Date; answer: object | null }>(
    `select id, status, charge_id, created_at, answer from orders where ${OF_CHARGES} order by id`,
    [chargeIds],
  );
}

/** Replaces the customer in the stored answers, and removes the caller's texts. Returns how many changed. */
export async function eraseFromAnswers(tx: Sql, chargeIds: readonly string[], customer: object): Promise<number> {
  const rows = await tx.query(
    `update orders
        set answer = jsonb_set(answer::jsonb #- '{charge,description}' #- '{charge,metadata}', '{charge,customer}', $2)::json
      where ${OF_CHARGES} and (answer -> 'charge' ->> 'id')::uuid = any($1)
      returning id`,
    [chargeIds, JSON.stringify(customer)],
  );
  return rows.length;
}
