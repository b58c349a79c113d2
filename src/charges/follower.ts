// A noun that goes by what happens to charges, such as an order that waits for its money. Each says so in its `noun.ts`, and charges call
// all of them; so charges name no noun to their right.
import type { Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rail } from '../rails/rail.ts';
import type { WatchedRail } from '../rails/watched-rails.ts';
import type { Database, Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import type { Step } from './life.ts';
import type { Difference } from './reconcile/difference.ts';

/** The charge after a step, and the event of the step. */
export type ChargeChange = { readonly charge: Charge; readonly event: Step['event'] };

/** What a bank lists beside payments and is not recorded here, and how much of its list cannot be read. */
export type OnlyAtBank = { readonly differences: readonly Difference[]; readonly unreadable: number };

export type ChargeFollower = {
  /** In the transaction that writes the changes; those of one charge are in sequence. */
  chargesChanged?(deps: { readonly queue: Queue }, tx: Sql, changes: readonly ChargeChange[]): Promise<void>;
  /** A collection by a mandate has ended without the money of this charge. In the transaction that writes its end. */
  collectionFailed?(deps: { readonly queue: Queue }, tx: Sql, charge: Charge): Promise<void>;
  /** A notification may be about more than payments. Anybody may have sent it, with any content, and it may come again. */
  notified?(deps: { readonly db: Database; readonly queue: Queue }, rail: Rail, body: unknown): Promise<void>;
  /**
   * A comparison of days asks for what was made at a bank from one moment until before another and only the bank has. Changes nothing.
   * Throws `rail_unavailable` when the bank does not answer. `afterPage` is called after each page.
   */
  onlyAtBank?(
    deps: { readonly db: Database; readonly clock: Clock },
    watched: WatchedRail,
    period: { readonly from: Date; readonly to: Date },
    afterPage: () => void,
  ): Promise<OnlyAtBank>;
};

const MOVES_MONEY: readonly Step['event'][] = [
  'charge.paid',
  'charge.paid_twice',
  'charge.refunded',
  'charge.returned',
];

/** Money came or went. */
export function movesMoney(event: Step['event']): boolean {
  return MOVES_MONEY.includes(event);
}
