// The SQL of charges for the remainder of a partly paid charge.
import type { Sql } from '../../storage/database.ts';
import type { Charge, Remainder } from '../charge.ts';

/** The charges for the remainder of this one. */
export async function findRests(tx: Sql, chargeId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>('select id from charges where remainder_of = $1', [chargeId]);
  return rows.map(({ id }) => id);
}

/** Sets the charge for the remainder that counts from now on. The caller holds the lock of the charge. */
export async function storeRemainder(
  tx: Sql,
  { id, accountId }: Charge,
  { chargeId, amountCents }: Omit<Remainder, 'isPaid'>,
): Promise<void> {
  await tx.query(
    'update charges set remainder_id = $3, remainder_cents = $4, is_remainder_paid = false where id = $1 and account_id = $2',
    [id, accountId, chargeId, amountCents],
  );
}
