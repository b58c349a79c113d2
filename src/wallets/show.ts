// A wallet with the groups that must approve it, and their approvals.
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sql } from '../storage/database.ts';
import { standingOf } from './approvals.ts';
import { walletView } from './view.ts';
import type { Wallet } from './wallet.ts';

export type ShowWalletDeps = { readonly db: Sql; readonly clock: Clock; readonly approvalRules: ApprovalRules };

export async function showWallet({ db, clock, approvalRules }: ShowWalletDeps, wallet: Wallet) {
  const { groups } = await standingOf(db, approvalRules, wallet, clock.now());
  return walletView(wallet, groups);
}
