// Opens the payout of an order: commits the money of its charge and takes a slot of the sender.
import assert from 'node:assert/strict';
import type { Chains } from '../chains/chain.ts';
import type { Charge } from '../charges/charge.ts';
import { commitMoney } from '../charges/store-money.ts';
import type { Queue } from '../jobs/queue.ts';
import { openPayout } from '../payouts/open.ts';
import type { Sql } from '../storage/database.ts';
import type { Order } from './order.ts';
import { unitsOf } from './write.ts';

type Deps = { readonly queue: Queue; readonly chains: Chains };

/** For an order that becomes `fulfilling` or is sent again. The caller holds the row locks of order and charge. */
export async function claimPayout(deps: Deps, tx: Sql, order: Order, charge: Charge, at: Date): Promise<void> {
  assert(order.dueCents !== undefined, 'a paid order has dueCents');
  await commitMoney(tx, charge, order.dueCents);
  const { accountId, id: orderId, network, symbol, walletAddress: destination } = order;
  await openPayout(deps, tx, { accountId, orderId, network, symbol, units: unitsOf(order), destination }, at);
}
