// What a payout is for, as the engine knows it: something that is locked first and takes its step in the same transaction.
import type { Sql } from '../storage/database.ts';
import type { PayoutNews } from './engine/sighting.ts';
import type { Payout } from './payout.ts';

export type PayoutChange = { readonly before: Payout; readonly after: Payout; readonly news: PayoutNews };

/** Applies changes of payouts whose owners are locked, in the same transaction. */
export type ApplyChanges = (changes: readonly PayoutChange[], at: Date) => Promise<void>;

/** The owners of payouts. Their rows are locked before those of the payouts, in an order that is the same for everybody. */
export type PayoutOwner = {
  lock(tx: Sql, payouts: readonly Payout[]): Promise<ApplyChanges>;
};
