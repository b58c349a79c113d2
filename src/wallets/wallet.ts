// A wallet: an address of somebody's, with the name they know it by. Nothing of it changes after its creation.

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
  /** Nothing is ordered to it before. */
  readonly usableAt: Date;
};

/** Why the address of a wallet may not be paid to, as far as it and its network could be read. */
export function checkWallet({ network, address }: Partial<NewWallet>, own: readonly string[]): Fault[] {
  if (network === undefined || address === undefined) return [];
  const { refusal } = readPayee(network, address, own);
  return refusal ? [{ path: 'address', ...refusal }] : [];
}
