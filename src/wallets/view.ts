// A wallet as the API shows it.
import type { Wallet, WalletWarning } from './wallet.ts';

export function walletView({ id, accountId, name, network, address, usableAt, createdAt, isContract }: Wallet) {
  return {
    id,
    accountId,
    name,
    network,
    address,
    ...(isContract && { warnings: [CONTRACT_WARNING] }),
    usableAt: usableAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

const CONTRACT_WARNING: WalletWarning = {
  path: 'address',
  code: 'is_contract',
  message: 'is a contract on this network: send to it only if it belongs to a wallet that takes this asset',
};
