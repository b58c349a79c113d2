// The approvals of a wallet, by the groups of the settings. Without a group one other key or person is enough.
import { type ApprovalRules, groupsOfWallet } from '../accounts/approval-rules.ts';
import { type GroupStanding, isComplete, judgeGroups } from '../accounts/approvals.ts';
import type { Sql } from '../storage/database.ts';
import type { Wallet } from './wallet.ts';

export type WalletStanding = {
  /** Every group that must approve it, with its approvals; empty when no approval is needed. */
  readonly groups: readonly GroupStanding[];
  readonly isApproved: boolean;
};

export async function standingOf(sql: Sql, rules: ApprovalRules, wallet: Wallet, now: Date): Promise<WalletStanding> {
  const { approvals = [], createdBy } = wallet;
  const groups = groupsOfWallet(rules, wallet);
  if (groups.length === 0) return { groups: [], isApproved: approvals.length > 0 };
  const asked = createdBy === undefined ? [] : [createdBy];
  const standings = await judgeGroups(sql, groups, { approvals, asked, now });
  return { groups: standings, isApproved: standings.every(isComplete) };
}
