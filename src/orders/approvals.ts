// Compares the approvals of an order with the groups of the settings. Without groups, one other person is enough.
import { type ApprovalRules, groupsOfPayout } from '../accounts/approval-rules.ts';
import { type GroupStanding, isComplete, judgeGroups, missingApprovals } from '../accounts/approvals.ts';
import type { Sql } from '../storage/database.ts';
import { askersOf } from './approver.ts';
import type { Order } from './order.ts';
import { unitsOf } from './write.ts';

type OrderStanding = {
  /** Every group that must approve it, with its approvals so far; empty when no approval is needed. */
  readonly groups: readonly GroupStanding[];
  /** Whether the payout is approved, if it needs approval. */
  readonly isApproved: boolean;
};

export async function standingOf(sql: Sql, rules: ApprovalRules, order: Order, now: Date): Promise<OrderStanding> {
  const { approvals = [] } = order;
  const groups = rules.length === 0 ? [] : groupsOfPayout(rules, { ...order, units: unitsOf(order) });
  if (groups.length === 0) return { groups: [], isApproved: approvals.length > 0 };
  const asked = approvals.length === 0 ? [] : await askersOf(sql, order);
  const standings = await judgeGroups(sql, groups, { approvals, asked, now });
  return { groups: standings, isApproved: standings.every(isComplete) };
}

type ApprovalFacts = {
  /** Orders whose payout is approved. */
  readonly approved: ReadonlySet<string>;
  /** The missing approvals as text, by order. */
  readonly unapproved: ReadonlyMap<string, string>;
};

/** For orders whose rows are locked, while the senders are locked too. */
export async function readApprovals(
  tx: Sql,
  rules: ApprovalRules,
  orders: readonly Order[],
  now: Date,
): Promise<ApprovalFacts> {
  const approved = new Set<string>();
  const unapproved = new Map<string, string>();
  for (const order of orders) {
    const { groups, isApproved } = await standingOf(tx, rules, order, now);
    if (isApproved) approved.add(order.id);
    else if (groups.length > 0) unapproved.set(order.id, missingApprovals(groups));
  }
  return { approved, unapproved };
}
