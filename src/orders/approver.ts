// Who may approve the payout of an order: none of those who made it, took its price, or reported the money that pays for it.
import { isSamePair, requireSecondKey } from '../accounts/second-key.ts';
import { listReporters } from '../charges/store-money.ts';
import type { Sql } from '../storage/database.ts';
import type { Order } from './order.ts';

/** Refuses an actor who shares a maker with one of them. `verb` completes the refusal: "approve it". */
export async function requireApprover(sql: Sql, by: string, order: Order, verb: string): Promise<void> {
  const made = `Who made this order or took its price, and what they made or invited, cannot ${verb}.`;
  await requireSecondKey(sql, by, [order.createdBy, order.repricedBy], made);
  const reported = `Who reported a payment of this order, by hand or in a file, and what they made or invited, cannot ${verb}.`;
  await requireSecondKey(sql, by, await reportersOf(sql, order), reported);
}

/** Whether the approval was given by one who has reported a payment since. */
export async function isApprovedByReporter(sql: Sql, order: Order): Promise<boolean> {
  if (!order.approval) return false;
  const reporters = await reportersOf(sql, order);
  return reporters.length > 0 && (await isSamePair(sql, [order.approval.by], reporters));
}

async function reportersOf(sql: Sql, { chargeId, accountId }: Order): Promise<readonly string[]> {
  return chargeId === undefined ? [] : listReporters(sql, chargeId, accountId);
}
