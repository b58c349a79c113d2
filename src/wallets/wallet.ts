// A wallet: a named address of an account. It never changes after its creation.

import { readPayee } from '../chains/address.ts';
import type { Network } from '../chains/asset.ts';
import type { Fault } from '../lib/errors.ts';

export type NewWallet = {
  readonly accountId: string;
  readonly name: string;
  readonly network: Network;
  readonly address: string;
};

export type Wallet = NewWallet & {
  readonly id: string;
  readonly createdAt: Date;
  /** Orders to it are refused before this time. */
  readonly usableAt: Date;
  /** Whether a node found code at the address when the wallet was created; undefined when none answered. */
  readonly isContract?: boolean;
};

export const WALLET_WARNING_CODES = ['is_contract'] as const;

export type WalletWarning = {
  readonly path: 'address';
  readonly code: (typeof WALLET_WARNING_CODES)[number];
  readonly message: string;
};

/** The faults of the address, if both address and network could be read. */
export function checkWallet({ network, address }: Partial<NewWallet>, own: readonly string[]): Fault[] {
  if (network === undefined || address === undefined) return [];
  const { refusal } = readPayee(network, address, own);
  return refusal ? [{ path: 'address', ...refusal }] : [];
}
