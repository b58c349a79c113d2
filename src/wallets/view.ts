// A wallet as the API shows it.
import type { Wallet } from './wallet.ts';

export function walletView({ id, accountId, name, network, address, usableAt, createdAt }: Wallet) {
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
