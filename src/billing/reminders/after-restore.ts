// After a restore of an older backup: what happened since is not known, so nothing that may have been sent is sent again.
import type { Sql } from '../../storage/database.ts';
import { startOf } from './rule.ts';
import { skipOpenReminders } from './store.ts';
import { findEnd } from './store-feed.ts';
import { findEnabledRules, findSettings, moveRule } from './store-rules.ts';

/** Skips reminders that wait, and lets every rule begin anew. Returns how many were skipped. */
export async function beginAnew(tx: Sql, at: Date): Promise<number> {
  const position = await findEnd(tx);
  for (const rule of await findEnabledRules(tx)) {
    const { sendAt } = await findSettings(tx, rule.accountId);
    await moveRule(tx, rule, startOf(rule, sendAt, at, position));
  }
  return skipOpenReminders(tx, 'restored', at);
}
