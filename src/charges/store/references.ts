// The SQL of references by which a charge may be paid beside those of its methods.
import type { Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

type FurtherReference = {
  readonly reference: string;
  readonly rail: string;
  readonly method: Method;
  readonly charge: Pick<Charge, 'id' | 'accountId'>;
  /** What is asked for under it, also when another amount is owed on the day of the payment. */
  readonly amountCents: bigint;
};

/** A payment that names the reference pays the charge from now on, and the charge is known to be collected. */
export async function insertReference(
  tx: Sql,
  { reference, rail, method, charge, amountCents }: FurtherReference,
): Promise<void> {
  await tx.query(
    `insert into charge_references (reference, rail, method, charge_id, account_id, amount_cents) values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [reference, rail, method, charge.id, charge.accountId, amountCents],
  );
  await tx.query('update charges set is_collected = true where id = $1 and account_id = $2', [
    charge.id,
    charge.accountId,
  ]);
}
