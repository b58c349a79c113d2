// The types of a gate: what it knows and what it decides.
import type { AssetSymbol } from '../../chains/asset.ts';
import type { Chain, Check, Funds } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import type { Payability } from '../../wallets/gate.ts';
import type { EarlierTransfers } from '../compare/earlier.ts';
import type { PayoutRequest } from '../payout.ts';
import type { Sender } from '../store/senders.ts';
import type { PayoutLimits } from './limits.ts';
import type { Pause } from './pause.ts';

/** Why an owner is on hold while its payout stands in line, and why it was taken out of it. */
export const WAIT_REASONS = [
  'payouts_paused',
  'over_day_limit',
  'fee_too_high',
  'no_funds',
  'transfer_refused',
] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];
export type RefusalReason = 'over_payout_limit' | 'approval_needed' | 'wallet_refused';

export type Verdict =
  | { readonly kind: 'go' }
  /** It stays in line and is judged again; with a reason its owner is on hold meanwhile. `until`: not before then. */
  | { readonly kind: 'wait'; readonly reason?: WaitReason; readonly message?: string; readonly until?: Date }
  /** It leaves the line until a person decides. */
  | { readonly kind: 'hold'; readonly reason: RefusalReason; readonly message: string };

/** What the gates know. */
export type GateContext = {
  readonly chain: Chain;
  /** The sender that it would be of. */
  readonly source: Source;
  /** What already takes a slot in this transaction, of any sender. */
  readonly claimed: readonly PayoutRequest[];
  readonly checks: CheckFacts;
  readonly wallets: WalletFacts;
  /** Addresses that are blocked, read while the senders are locked. */
  readonly blocked: ReadonlySet<string>;
  readonly earlier: EarlierFacts;
  readonly pauses: readonly Pause[];
  readonly limits: PayoutLimits;
  /** Owners that have all approvals, and for the others a text of what is missing; read while the senders are locked. */
  readonly approved: ReadonlySet<PayoutRequest['ownerId']>;
  readonly unapproved: ReadonlyMap<PayoutRequest['ownerId'], string>;
  readonly now: Date;
};

export type Gate = (request: PayoutRequest, context: GateContext, tx: Sql) => Verdict | Promise<Verdict>;

/** Why nothing is known. */
export const NO_ANSWER = 'The chain does not answer.';

export const GO = { kind: 'go' } as const;

/** By owner: whether the wallet may be paid to, asked before anything was locked: it may need an answer of a service. */
export type WalletFacts = ReadonlyMap<PayoutRequest['ownerId'], Payability>;

/** By owner: what the chain shows of its earlier transfers, asked before anything was locked. */
export type EarlierFacts = ReadonlyMap<PayoutRequest['ownerId'], EarlierTransfers>;

/** A sender with what the network says that it has, asked before anything was locked. */
export type Source = {
  readonly sender: Sender;
  readonly funds: ReadonlyMap<AssetSymbol, Funds | undefined>;
  /** What takes a slot of it in this transaction already, and what stands ahead in line for want of its funds. */
  readonly claimed: readonly PayoutRequest[];
  readonly ahead: readonly PayoutRequest[];
};

/** Whether each transfer could be carried out, asked before anything was locked. */
export type CheckFacts = ReadonlyMap<
  PayoutRequest['ownerId'],
  { readonly request: PayoutRequest; readonly check: Check }
>;
