// A wallet: a named address of an account. Name, network and address never change.

import type { Approval } from '../accounts/approvals.ts';
import { type OwnAddresses, readPayee } from '../chains/address.ts';
import type { Network } from '../chains/asset.ts';
import type { Fault } from '../lib/errors.ts';

export type NewWallet = {
  readonly accountId: string;
  readonly name: string;
  readonly network: Network;
  readonly address: string;
};

/** The actor, as in the audit log: `key:<id>`, `person:<id>`, `operator` or `sandbox`. */
export type Actor = string;

export type Wallet = NewWallet & {
  readonly id: string;
  readonly createdAt: Date;
  /** Absent for wallets older than this field. */
  readonly createdBy?: Actor;
  /** Orders to it are refused before this time. */
  readonly usableAt: Date;
  /** Whether a node found code at the address when the wallet was created; undefined when no node answered. */
  readonly isContract?: boolean;
  /** When its approvals were complete; and all approvals, oldest first. */
  readonly approvedAt?: Date;
  readonly approvals?: readonly Approval[];
  /** When an operator blocked it. The block applies to its address: see `isAddressBlocked`. */
  readonly blockedAt?: Date;
  /** When its holder was last declared, and when its key last signed a challenge. */
  readonly declaredAt?: Date;
  readonly provenAt?: Date;
};

export const OWNERSHIPS = ['none', 'declared', 'proven'] as const;
/** What is on record about the holder of a wallet; a proof takes precedence over a declaration. */
type Ownership = (typeof OWNERSHIPS)[number];

export function ownershipOf({ provenAt, declaredAt }: Wallet): { ownership: Ownership; at?: Date } {
  if (provenAt) return { ownership: 'proven', at: provenAt };
  return declaredAt ? { ownership: 'declared', at: declaredAt } : { ownership: 'none' };
}

export const WALLET_WARNING_CODES = ['is_contract'] as const;

export type WalletWarning = {
  readonly path: 'address';
  readonly code: (typeof WALLET_WARNING_CODES)[number];
  readonly message: string;
};

/** The faults of the address, if address and network are valid. */
export function checkWallet({ network, address }: Partial<NewWallet>, own: OwnAddresses): Fault[] {
  if (network === undefined || address === undefined) return [];
  const { refusal } = readPayee(network, address, own);
  return refusal ? [{ path: 'address', ...refusal }] : [];
}
