// The owners of payouts, behind an interface. To payouts an owner is an id; everything else is asked here: which owners wait for a slot,
// whether a payout is approved, what a change of a payout means. So payouts name no noun to their right, and any noun can own payouts.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { LogFields } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import type { PayoutNews } from './engine/sighting.ts';
import type { Payout, PayoutRequest } from './payout.ts';
import type { Verdict, WaitReason } from './policy/gate.ts';
import type { Pause } from './policy/pause.ts';

export type PayoutChange = { readonly before: Payout; readonly after: Payout; readonly news: PayoutNews };

/** Applies changes of payouts whose owners are locked, in the same transaction. */
export type ApplyChanges = (changes: readonly PayoutChange[], at: Date) => Promise<void>;

/** A waiting payout in the line of a network. */
export type Waiting = {
  readonly request: PayoutRequest;
  readonly walletId: string;
  readonly ownerMadeAt: Date;
  readonly waitsSince: Date;
  readonly lastError?: string;
};

export type LineQuery = {
  readonly network: Network;
  readonly now: Date;
  /** Assets that are paused. */
  readonly without: readonly AssetSymbol[];
  /** Per asset, so that payouts that wait for funds of one asset do not hide those of another. */
  readonly limit: number;
  /** Only those whose owner was created after this moment. */
  readonly madeAfter?: Date;
};

export type WaitingUnits = { readonly symbol: AssetSymbol; readonly count: number; readonly units: bigint };

export type Unheld = { readonly ownerId: string; readonly waitsSince: Date; readonly lastError?: string };

/** A transfer that left a sender. */
export type MovedFunds = {
  readonly network: Network;
  readonly symbol: AssetSymbol;
  readonly quantity: string;
  /** In lower case. */
  readonly to: string;
};

export type LikeOwner = { readonly id: string; readonly isFulfilled: boolean };

/** Queries about owners. */
export type OwnerRecords = {
  /** The noun for messages; its plural has an `s`. */
  readonly noun: string;
  /** The field of a log line that has the id of an owner. */
  logFieldsOf(ownerId: string): LogFields;

  /** The front of the line, oldest first, without those that are skipped for now. */
  readLine(sql: Sql, query: LineQuery): Promise<Waiting[]>;
  hasWaiting(sql: Sql, network: Network): Promise<boolean>;
  /** The quantities of those in line, by asset. */
  readWaitingUnits(sql: Sql, network: Network): Promise<WaitingUnits[]>;
  /** When the first of those that are skipped may continue. */
  nextPassedOver(sql: Sql, network: Network, now: Date): Promise<Date | undefined>;
  /** The first in line that should get a slot: nothing holds it and its asset is not paused. */
  firstUnheld(
    sql: Sql,
    network: Network,
    which: { readonly paused: readonly AssetSymbol[]; readonly madeAfter: Date | undefined },
  ): Promise<Unheld | undefined>;
  hasHeld(sql: Sql, network: Network, reason: WaitReason): Promise<boolean>;
  /** The last error of each that has one. */
  readLastErrors(sql: Sql, ownerIds: readonly string[]): Promise<ReadonlyMap<string, string>>;

  /** When the oldest owner after a moment was created that may still have to be paid. */
  oldestUnpaidAt(sql: Sql, network: Network, after: Date): Promise<Date | undefined>;
  hasUnpaidOf(sql: Sql, network: Network, symbol: string): Promise<boolean>;
  /** Owners that a transfer may have paid: exactly this amount to this address. Unpaid ones first. */
  findLike(sql: Sql, moved: MovedFunds, limit: number): Promise<LikeOwner[]>;
};

export type Judged = { readonly request: PayoutRequest; readonly verdict: Verdict };

/** Owners in line whose rows are locked. */
export type LockedLine = {
  /** Those that still wait, in the sequence of the line. */
  readonly standing: readonly PayoutRequest[];
  /** Owners that have all approvals. */
  readonly approved: ReadonlySet<string>;
  /** For owners that lack approvals: a text that names the missing ones. */
  readonly unapproved: ReadonlyMap<string, string>;
  /** Writes the decisions. Payouts of those that may go are opened in the same transaction: their money can no longer be refunded. */
  write(judged: readonly Judged[]): Promise<void>;
};

export type PayoutOwner = OwnerRecords & {
  /** Locks the owners of payouts, always in the same sequence, before the payouts themselves are written. */
  lock(tx: Sql, payouts: readonly Payout[]): Promise<ApplyChanges>;
  lockLine(tx: Sql, waiting: readonly Waiting[], now: Date): Promise<LockedLine>;
  /** Updates which pause the owners in line wait for, also when it has ended. True when there may be more to do. */
  markPaused(network: Network, pauses: readonly Pause[]): Promise<boolean>;
  /** Writes why owners in line wait. */
  noteWhy(waiting: readonly Waiting[], why: string): Promise<void>;
  /** A payout that moved nothing by the books was carried out: its owner leaves the line and follows that payout. */
  takeBack(payout: Payout): Promise<void>;
};
