// The types of a gate: its input and its verdict.
import type { AssetSymbol } from '../../chains/asset.ts';
import type { Chain, Check, Funds } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payability } from '../../wallets/gate.ts';
import type { EarlierTransfers } from '../compare/earlier.ts';
import type { PayoutRequest } from '../payout.ts';
import type { Sender } from '../store/senders.ts';
import type { PayoutLimits } from './limits.ts';
import type { Pause } from './pause.ts';

/** Why an owner is on hold while its payout is in line, and why it was taken out of the line. */
export const WAIT_REASONS = [
  'payouts_paused',
  'over_day_limit',
  'fee_too_high',
  'no_funds',
  'transfer_refused',
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];
type RefusalReason = 'over_payout_limit' | 'approval_needed' | 'wallet_refused';

export type Verdict =
  | { readonly kind: 'go' }
  /** It stays in line and is judged again; with a reason its owner is on hold meanwhile. `until`: not before then. */
  | { readonly kind: 'wait'; readonly reason?: WaitReason; readonly message?: string; readonly until?: Date }
  /** It leaves the line until a person decides. */
  | { readonly kind: 'hold'; readonly reason: RefusalReason; readonly message: string };

/** The input of the gates. */
export type GateContext = {
  readonly chain: Chain;
  /** The sender that the payout would use. */
  readonly source: Source;
  /** Payouts that already take a slot in this transaction, of any sender. */
  readonly claimed: readonly PayoutRequest[];
  readonly checks: CheckFacts;
  readonly wallets: WalletFacts;
  /** Addresses that are blocked, read while the senders are locked. */
  readonly blocked: ReadonlySet<string>;
  readonly earlier: EarlierFacts;
  readonly pauses: readonly Pause[];
  readonly limits: PayoutLimits;
  /** Owners that have all approvals, and for the others a text that names the missing ones; read while the senders are locked. */
  readonly approved: ReadonlySet<PayoutRequest['ownerId']>;
  readonly unapproved: ReadonlyMap<PayoutRequest['ownerId'], string>;
  readonly now: Date;
};

export type Gate = (request: PayoutRequest, context: GateContext, tx: Sql) => Verdict | Promise<Verdict>;

/** The message when no node answers. */
export const NO_ANSWER = 'The chain does not answer.';

export const GO = { kind: 'go' } as const;

/** By owner: whether the wallet may be paid, asked before anything was locked, since it may need a call to a service. */
export type WalletFacts = ReadonlyMap<PayoutRequest['ownerId'], Payability>;

/** By owner: its earlier transfers on the chain, asked before anything was locked. */
type EarlierFacts = ReadonlyMap<PayoutRequest['ownerId'], EarlierTransfers>;

/** A sender with its funds on the network, asked before anything was locked. */
export type Source = {
  readonly sender: Sender;
  readonly funds: ReadonlyMap<AssetSymbol, Funds | undefined>;
  /** Payouts that already take a slot of it in this transaction, and those ahead in line that wait for its funds. */
  readonly claimed: readonly PayoutRequest[];
  readonly ahead: readonly PayoutRequest[];
};

/** Whether each transfer could be carried out, asked before anything was locked. */
export type CheckFacts = ReadonlyMap<
  PayoutRequest['ownerId'],
  { readonly request: PayoutRequest; readonly check: Check }
>;
