// The SQL of charges for what is missing of another one.
import type { Sql } from '../storage/database.ts';
import type { Charge, Remainder } from './charge.ts';

/** The caller holds the lock of the charge. */
export async function storeRemainder(
  tx: Sql,
  { id, accountId }: Charge,
  { chargeId, amountCents }: Omit<Remainder, 'isPaid'>,
): Promise<void> {
  await tx.query('update charges set remainder_id = $3, remainder_cents = $4 where id = $1 and account_id = $2', [
    id,
    accountId,
    chargeId,
    amountCents,
  ]);
}
