// Who may approve the payout of an order: not those who made it, took its price, or reported the money for it.
import type { Approval } from '../accounts/approvals.ts';
import { isSamePair, requireSecondKey } from '../accounts/second-key.ts';
import { listReporters } from '../charges/store/money.ts';
import type { Sql } from '../storage/database.ts';
import type { Order } from './order.ts';

/** Refuses an actor who shares a maker with one of them. `verb` completes the refusal: "approve it". */
export async function requireApprover(sql: Sql, by: string, order: Order, verb: string): Promise<void> {
  const made = `The person or key that made this order or took its price, and the keys and people they created or invited, cannot ${verb}.`;
  await requireSecondKey(sql, by, [order.createdBy, order.repricedBy], made);
  const reported = `The person or key that reported a payment of this order, by hand or in a file, or recorded that a dispute about it was won, and the keys and people they created or invited, cannot ${verb}.`;
  await requireSecondKey(sql, by, await reportersOf(sql, order), reported);
}

/** Those who requested the payout, and so may not approve it. */
export async function askersOf(sql: Sql, order: Order): Promise<string[]> {
  const makers = [order.createdBy, order.repricedBy].filter(actor => actor !== undefined);
  return [...makers, ...(await reportersOf(sql, order))];
}

/** The approvals that are left after removing those of people who have since reported a payment; undefined when all stay. */
export async function approvalsWithoutReporters(sql: Sql, order: Order): Promise<readonly Approval[] | undefined> {
  const { approvals = [] } = order;
  if (approvals.length === 0) return undefined;
  const reporters = await reportersOf(sql, order);
  if (reporters.length === 0) return undefined;
  const kept: Approval[] = [];
  for (const approval of approvals) if (!(await isSamePair(sql, [approval.by], reporters))) kept.push(approval);
  return kept.length === approvals.length ? undefined : kept;
}

async function reportersOf(sql: Sql, { chargeId, accountId }: Order): Promise<readonly string[]> {
  return chargeId === undefined ? [] : listReporters(sql, chargeId, accountId);
}
