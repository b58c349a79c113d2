// Creates, changes and removes rules. A rule begins with what happens from then on: nothing is sent for moments that have passed.
import { isDeepStrictEqual } from 'node:util';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { assignPositions, findHead } from '../../events/store-feed.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Database } from '../../storage/database.ts';
import { type Changes, changed } from '../changed.ts';
import { lockRule } from './require.ts';
import { MAX_RULES, type Rule, startOf } from './rule.ts';
import { countRulesOf, deleteRule, findSettings, insertRule, updateRule } from './store-rules.ts';

export type RuleDeps = { readonly db: Database; readonly clock: Clock; readonly accounts: AccountPolicy };

export type NewRule = Omit<Rule, 'id' | 'createdAt' | 'updatedAt'>;

/** Refuses a second rule for the same occasion, and more than `MAX_RULES`. */
export async function createRule({ db, clock, accounts }: RuleDeps, input: NewRule): Promise<Rule> {
  const now = clock.now();
  const rule = { ...input, id: uuidV7(now), createdAt: now, updatedAt: now };
  // Events from before the rule have their positions when it takes the last one as its start.
  await assignPositions(db);
  await db.transaction(async tx => {
    await requireAccount(tx, accounts, input.accountId, now);
    if ((await countRulesOf(tx, input.accountId)) >= MAX_RULES)
      throw new AppError('wrong_state', `An account has at most ${MAX_RULES} rules.`);
    const { sendAt } = await findSettings(tx, input.accountId);
    const { position } = await findHead(tx);
    const isNew = await insertRule(tx, rule, startOf(rule, sendAt, now, position));
    if (!isNew) throw new AppError('wrong_state', 'The account has a rule for this occasion; change that one.');
    setAuditObject(rule.id);
  });
  return rule;
}

export type RuleChanges = Changes<Pick<Rule, 'channels' | 'locale' | 'isEnabled'>>;

/** What is not named stays. A rule that is enabled again begins anew. Without a difference nothing is written. */
export async function changeRule(
  { db, clock }: Pick<RuleDeps, 'db' | 'clock'>,
  id: string,
  changes: RuleChanges,
  accountId?: string,
): Promise<Rule> {
  const now = clock.now();
  await assignPositions(db);
  return db.transaction(async tx => {
    const before = await lockRule(tx, id, accountId);
    const after: Rule = changed<Rule>(before, changes);
    if (isDeepStrictEqual(before, after)) return before;
    const written = { ...after, updatedAt: now };
    const { sendAt } = await findSettings(tx, before.accountId);
    const { position } = await findHead(tx);
    const progress = before.isEnabled && after.isEnabled ? undefined : startOf(after, sendAt, now, position);
    await updateRule(tx, written, progress);
    return written;
  });
}

/** Reminders that wait are not sent; those that were sent stay on record. Returns the rule as it was. */
export async function removeRule({ db }: Pick<RuleDeps, 'db'>, id: string, accountId?: string): Promise<Rule> {
  return db.transaction(async tx => {
    const rule = await lockRule(tx, id, accountId);
    await deleteRule(tx, rule);
    return rule;
  });
}
