// The SQL that ends the subscriptions of customers who are erased: the sweep, woken here, cancels each.
import { eraseFromObjects } from '../../events/erase.ts';
import type { Sql } from '../../storage/database.ts';

/** What a caller wrote about a person is taken out of them and of their events. The caller holds the locks of the customers. */
export async function eraseFromSubscriptions(tx: Sql, customerIds: readonly string[], at: Date): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    `update subscriptions
        set metadata = null, next_at = case when status not in ('canceled', 'completed') then $2::timestamptz end
      where customer_id = any($1) returning id`,
    [customerIds, at],
  );
  for (const { id } of rows) await eraseFromObjects(tx, id, ['metadata'], {});
}
