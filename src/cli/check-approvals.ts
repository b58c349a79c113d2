// What the doctor finds about payouts.approvals: whether each group has enough members for its approvals.
import { openApprovalRules } from '../accounts/approval-rules.ts';
import { faultsOfGroups } from '../accounts/check-approvers.ts';
import type { Config } from '../config/config.ts';
import { systemClock } from '../lib/clock.ts';
import { StartError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { type Finding, right, warning, wrong } from './finding.ts';

export async function checkApprovals(db: Sql, { payouts }: Pick<Config, 'payouts'>): Promise<Finding[]> {
  const { approvals = [] } = payouts;
  if (approvals.length === 0) return [];
  try {
    const faults = await faultsOfGroups(db, openApprovalRules(approvals), systemClock.now());
    if (faults.length === 0) return [right(`approvals: every group can give its approvals`)];
    return faults.map(({ message, canComplete }) => (canComplete ? warning : wrong)(`approvals: ${message}`));
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    return error.message.split('\n').map(message => wrong(message));
  }
}
