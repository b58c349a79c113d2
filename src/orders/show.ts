// An order with everything that belongs to it: its charge, its transfer, its events.
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import { approvalsView } from '../accounts/approvals.ts';
import type { Chains } from '../chains/chain.ts';
import type { Links } from '../charges/links/links.ts';
import { findCharge } from '../charges/store/charges.ts';
import type { Clock } from '../lib/clock.ts';
import { requireFound } from '../lib/errors.ts';
import { findPayoutOfOwner } from '../payouts/store/payouts.ts';
import type { Sql } from '../storage/database.ts';
import { standingOf } from './approvals.ts';
import type { Order } from './order.ts';
import { findOrder, readTimeline } from './store.ts';
import { orderDetail } from './view.ts';

export type ShowOrderDeps = {
  readonly db: Sql;
  readonly clock: Clock;
  readonly chains: Chains;
  readonly links: Links;
  readonly approvalRules: ApprovalRules;
};

/** Finds the order that a caller names, or refuses; `accountId` restricts it to one account. */
export async function requireOrder(db: Sql, id: string, accountId?: string): Promise<Order> {
  return requireFound(await findOrder(db, id, accountId), 'crypto transaction');
}

export async function showOrder({ db, clock, chains, links, approvalRules }: ShowOrderDeps, order: Order) {
  const charge = order.chargeId === undefined ? undefined : await findCharge(db, order.chargeId, order.accountId);
  const payout = await findPayoutOfOwner(db, order.id, order.accountId);
  const confirmationsNeeded = chains[order.network]?.depth;
  const { groups } = await standingOf(db, approvalRules, order, clock.now());
  const approvals = approvalsView(order.approvals, groups);
  const timeline = await readTimeline(db, order);
  return orderDetail(links, order, { charge, payout, confirmationsNeeded, approvals, timeline });
}
