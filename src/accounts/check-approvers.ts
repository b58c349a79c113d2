// Checks the groups of the settings against existing keys and people: a group that cannot be complete stops payouts.
import type { Log } from '../lib/log.ts';
import type { Sql } from '../storage/database.ts';
import type { ApprovalRules } from './approval-rules.ts';
import { judgeGroups } from './approvals.ts';
import { findActive } from './store-approvers.ts';

type GroupFault = { readonly message: string; readonly canComplete: boolean };

/** A sentence for each member that may not act, and for each group that cannot give its approvals. */
export async function faultsOfGroups(sql: Sql, rules: ApprovalRules, now: Date): Promise<GroupFault[]> {
  const faults: GroupFault[] = [];
  for (const rule of rules) {
    const members = [...rule.members];
    const active = await findActive(sql, members, now);
    const unknown = members.filter(member => !active.has(member));
    const all = members.map(by => ({ by, at: now }));
    const [standing] = await judgeGroups(sql, [rule], { approvals: all, asked: [], now });
    const pairs = standing?.given.length ?? 0;
    const canComplete = pairs >= rule.needed;
    if (unknown.length > 0) {
      const who = unknown.length === 1 ? 'is no key or person' : 'are no keys or people';
      faults.push({ message: `${rule.name}: ${unknown.join(', ')} ${who} that may act`, canComplete });
    }
    if (!canComplete) {
      const message = `${rule.name}: needs ${rule.needed} approvals, but its members can give only ${pairs}: nothing that it must approve is sent`;
      faults.push({ message, canComplete });
    }
  }
  return faults;
}

/** Logs each of them at the start. */
export async function warnOfGroups(
  { db, log }: { readonly db: Sql; readonly log: Log },
  rules: ApprovalRules,
  now: Date,
): Promise<void> {
  for (const { message } of await faultsOfGroups(db, rules, now)) {
    log.warn('a group of payouts.approvals has members that cannot approve', { reason: message });
  }
}
