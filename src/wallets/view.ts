// A wallet as the API shows it. It shows that there is a declaration, never its content.
import { approvalsView, type GroupStanding } from '../accounts/approvals.ts';
import { ownershipOf, type Wallet, type WalletWarning } from './wallet.ts';

/** `groups`: those that must approve it, where the answer shows them. */
export function walletView(wallet: Wallet, groups: readonly GroupStanding[] = []) {
  const { id, accountId, name, network, address, usableAt, createdAt, isContract, approvedAt } = wallet;
  const approvals = approvalsView(wallet.approvals, groups);
  const { ownership, at } = ownershipOf(wallet);
  return {
    id,
    accountId,
    name,
    network,
    address,
    ...(isContract && { warnings: [CONTRACT_WARNING] }),
    ownership,
    ...(at && { ownershipAt: at.toISOString() }),
    ...(approvedAt && { approvedAt: approvedAt.toISOString() }),
    ...(approvals && { approvals }),
    usableAt: usableAt.toISOString(),
    createdAt: createdAt.toISOString(),
  };
}

const CONTRACT_WARNING: WalletWarning = {
  path: 'address',
  code: 'is_contract',
  message: 'is a contract on this network: send to it only if it belongs to a wallet that accepts this asset',
};
