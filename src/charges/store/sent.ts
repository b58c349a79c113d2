// The SQL of requests to rails: when each was sent, whether it was sent again, and the bank's id for it.
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

/** A method that is about to be submitted to its rail. */
type Submission = { readonly charge: Charge; readonly method: Method };

/**
 * Marks methods as submitted before they are sent. The returned function says whether this call marked a method,
 * and so was never sent before. The `case` hides the condition on `submitted_at` from the planner: its statistics expect
 * hardly any row with null, and for so few rows it would choose a nested loop over all pairs.
 */
export async function markSubmitted(
  sql: Sql,
  submissions: readonly Submission[],
  at: Date,
): Promise<(charge: Charge, method: Method) => boolean> {
  const keyOf = (chargeId: string, method: Method) => `${chargeId} ${method}`;
  if (submissions.length === 0) return () => false;
  const rows = await sql.query<{ charge_id: string; method: Method }>(
    `update charge_methods m set submitted_at = $4
       from unnest($1::uuid[], $2::text[], $3::text[]) as s (charge_id, account_id, method)
      where m.charge_id = any($1) and m.charge_id = s.charge_id and m.account_id = s.account_id and m.method = s.method
        and case when s.method is not null then m.submitted_at is null end
      returning m.charge_id, m.method`,
    [
      submissions.map(({ charge }) => charge.id),
      submissions.map(({ charge }) => charge.accountId),
      submissions.map(({ method }) => method),
      at,
    ],
  );
  const marked = new Set(rows.map(row => keyOf(row.charge_id, row.method)));
  return (charge, method) => marked.has(keyOf(charge.id, method));
}

/** Marks a method as sent once more; true the first time. */
export async function markResent(
  tx: Sql,
  { id, accountId }: Pick<Charge, 'id' | 'accountId'>,
  method: Method,
  at: Date,
): Promise<boolean> {
  const [row] = await tx.query<{ resent_at: Date | null }>(
    `select resent_at from charge_methods where charge_id = $1 and account_id = $2 and method = $3 for update`,
    [id, accountId, method],
  );
  await tx.query('update charge_methods set resent_at = $4 where charge_id = $1 and account_id = $2 and method = $3', [
    id,
    accountId,
    method,
    at,
  ]);
  return row?.resent_at === null;
}

/** Clears the mark: the rail reports that nothing was sent, so the next try need not look it up. */
export async function clearSubmitted(sql: Sql, { id, accountId }: Charge, method: Method): Promise<void> {
  await sql.query(
    'update charge_methods set submitted_at = null where charge_id = $1 and account_id = $2 and method = $3',
    [id, accountId, method],
  );
}

/** Stores the bank's id of a method, from its first answer. False: another node has stored the answer to another submission. */
export async function storeBankId(
  sql: Sql,
  { id, accountId }: Charge,
  method: Method,
  bankId: string,
): Promise<boolean> {
  const rows = await sql.query(
    `update charge_methods set bank_id = $4
      where charge_id = $1 and account_id = $2 and method = $3 and coalesce(bank_id, $4) = $4 returning charge_id`,
    [id, accountId, method, bankId],
  );
  return rows.length > 0;
}
