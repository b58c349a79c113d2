// What a payout is for, as the engine knows it: something that is locked first and takes its step in the same transaction.
import type { Sql } from '../storage/database.ts';
import type { Payout } from './payout.ts';
import type { PayoutNews } from './sighting.ts';

export type PayoutChange = { readonly before: Payout; readonly after: Payout; readonly news: PayoutNews };

/** The owner of a payout. Its row is locked before the payout's row, and it applies the change in the same transaction. */
export type PayoutOwner = {
  lock(tx: Sql, payout: Payout): Promise<void>;
  apply(tx: Sql, change: PayoutChange, at: Date): Promise<void>;
};
