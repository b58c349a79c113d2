// Counts approvals for the groups that must give them: keys and people with a shared maker count once, and requesters never.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { ApprovalGroup } from './approval-rules.ts';
import { findActive } from './store-approvers.ts';
import { listMakers } from './store-makers.ts';

/** Who approved, as in the audit log, and when. */
export type Approval = { readonly by: string; readonly at: Date };

/** The given and needed approvals of a group. */
export type GroupStanding = {
  readonly name: string;
  readonly needed: number;
  readonly given: readonly Approval[];
};

/** A sandbox has no keys and no people, so its only caller approves for every group. */
const SANDBOX = 'sandbox';

export function isComplete({ needed, given }: GroupStanding): boolean {
  return given.length >= needed || given.some(({ by }) => by === SANDBOX);
}

/**
 * The approvals of each group. An approval counts for the groups of its member while the person may still log in or the key is valid, unless
 * the member shares a maker with one of `asked` or with another counted approval.
 */
export async function judgeGroups(
  sql: Sql,
  groups: readonly ApprovalGroup[],
  {
    approvals,
    asked,
    now,
  }: { readonly approvals: readonly Approval[]; readonly asked: readonly string[]; readonly now: Date },
): Promise<GroupStanding[]> {
  if (groups.length === 0) return [];
  const actors = [...new Set(approvals.map(({ by }) => by))];
  const active = await findActive(sql, actors, now);
  const ofAsked = await listMakers(sql, asked);
  const makers = new Map<string, ReadonlySet<string>>();
  for (const actor of actors) makers.set(actor, await listMakers(sql, [actor]));
  const share = (one: string, others: ReadonlySet<string>) => [...makers.get(one)!].some(maker => others.has(maker));
  return groups.map(({ name, needed, members }) => {
    const given: Approval[] = [];
    for (const approval of approvals) {
      const { by } = approval;
      const isMember = by === SANDBOX || (members.has(by) && active.has(by) && !asked.includes(by));
      const isCounted = given.some(other => other.by === by || share(by, makers.get(other.by)!));
      if (isMember && !isCounted && !share(by, ofAsked)) given.push(approval);
    }
    return { name, needed, given };
  });
}

/** A sentence for an operator that names what is missing. */
export function missingApprovals(standings: readonly GroupStanding[]): string {
  const missing = standings.filter(standing => !isComplete(standing));
  const parts = missing.map(({ name, needed, given }) => `${name} has given ${given.length} of ${needed} approvals`);
  return parts.length === 0 ? 'Nothing is missing.' : `${parts.join(', ')}.`;
}

/** Refuses an approval that no group counts, since it would have no effect. `what`: for example "this order". */
export function requireCounted(before: readonly GroupStanding[], after: readonly GroupStanding[], what: string): void {
  const counts = after.some(({ given }, index) => given.length > (before[index]?.given.length ?? 0));
  if (counts || after.length === 0) return;
  const who = `Only members of the groups that have not approved can approve ${what}, each once, and not two with a shared maker`;
  throw new AppError('second_key_needed', `${who}: ${missingApprovals(after)}`);
}

/** Approvals for answers; undefined when none were given and no group must approve. */
export function approvalsView(approvals: readonly Approval[] = [], groups: readonly GroupStanding[] = []) {
  if (approvals.length === 0 && groups.length === 0) return undefined;
  return {
    given: approvals.map(({ by, at }) => ({ by, at: at.toISOString() })),
    groups: groups.map(standing => ({
      name: standing.name,
      needed: standing.needed,
      given: standing.given.length,
      missing: isComplete(standing) ? 0 : standing.needed - standing.given.length,
    })),
  };
}
