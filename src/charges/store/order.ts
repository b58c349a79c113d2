// The SQL of the order that the money of a paid charge buys.
import assert from 'node:assert/strict';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

/** From then on the order follows the charge. The caller holds the row lock of the charge, which has no order yet. */
export async function setOrderOf(tx: Sql, { id, accountId }: Charge, orderId: string): Promise<void> {
  const rows = await tx.query(
    'update charges set order_id = $3 where id = $1 and account_id = $2 and order_id is null returning id',
    [id, accountId, orderId],
  );
  assert(rows.length === 1, 'a charge has one order');
}
