// A wallet as the API shows it.
import type { Network } from '../chains/asset.ts';
import type { Wallet } from './wallet.ts';

export type WalletView = {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly network: Network;
  readonly address: string;
  readonly usableAt: string;
  readonly createdAt: string;
};

export function walletView({ id, accountId, name, network, address, usableAt, createdAt }: Wallet): WalletView {
  return {
    id,
    accountId,
    name,
    network,
    address,
    usableAt: usableAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}
