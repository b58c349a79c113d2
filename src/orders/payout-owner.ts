// Orders as the owners of payouts: what payouts ask about them, and what changes of payouts mean for them.
import type { Queue } from '../jobs/queue.ts';
import type { Log } from '../lib/log.ts';
import type { OwnerRecords, PayoutOwner } from '../payouts/owner.ts';
import { type EarlierDeps, takeBack } from './earlier-transfers.ts';
import { type LineDeps, lockLine, noteWhy } from './line.ts';
import { markPaused } from './mark-paused.ts';
import { lockOrdersOf } from './payout-progress.ts';
import { waitingOf } from './payout-request.ts';
import { findOrdersLike } from './store-like.ts';
import {
  firstUnheld,
  hasHeld,
  hasWaiting,
  nextPassedOver,
  readLastErrors,
  readLine,
  readWaitingUnits,
} from './store-line.ts';
import { hasUnpaidOf, oldestUnpaidAt } from './store-unpaid.ts';

/** Needs nothing but the database: enough for commands that run beside the service. */
export const ORDER_RECORDS: OwnerRecords = {
  noun: 'order',
  logFieldsOf: orderId => ({ orderId }),
  readLine: async (sql, query) => (await readLine(sql, query)).map(waitingOf),
  hasWaiting,
  readWaitingUnits,
  nextPassedOver,
  firstUnheld,
  hasHeld,
  readLastErrors,
  oldestUnpaidAt,
  hasUnpaidOf,
  findLike: findOrdersLike,
};

type Deps = EarlierDeps & LineDeps & { readonly queue: Queue; readonly log: Log };

export function ordersAsOwners(deps: Deps): PayoutOwner {
  return {
    ...ORDER_RECORDS,
    lock: (tx, payouts) => lockOrdersOf(deps, tx, payouts),
    lockLine: (tx, waiting, now) => lockLine(deps, tx, waiting, now),
    markPaused: (network, pauses) => markPaused(deps, network, pauses),
    noteWhy: (waiting, why) => noteWhy(deps, waiting, why),
    takeBack: payout => takeBack(deps, payout),
  };
}
