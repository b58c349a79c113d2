// The owner of a payout: the order that it names. A cold sweep has no owner.
import type { Queue } from '../jobs/queue.ts';
import type { PayoutOwner } from '../payouts/owner.ts';
import type { Payout } from '../payouts/payout.ts';
import { coldSweepsAsOwners } from './cold-sweep-progress.ts';
import { ordersAsOwners } from './payout-progress.ts';

export function payoutOwners(deps: { readonly queue: Queue }): PayoutOwner {
  const orders = ordersAsOwners(deps);
  const sweeps = coldSweepsAsOwners(deps);
  return {
    lock: async (tx, payouts) => {
      const applyToOrders = await orders.lock(tx, payouts.filter(hasOrder));
      const applyToSweeps = await sweeps.lock(
        tx,
        payouts.filter(payout => !hasOrder(payout)),
      );
      return async (changes, at) => {
        await applyToOrders(
          changes.filter(({ after }) => hasOrder(after)),
          at,
        );
        await applyToSweeps(
          changes.filter(({ after }) => !hasOrder(after)),
          at,
        );
      };
    },
  };
}

function hasOrder({ orderId }: Payout): boolean {
  return orderId !== undefined;
}
