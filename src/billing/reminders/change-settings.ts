// Changes what applies to all reminders of an account.
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { invalidRequest } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { type Changes, changed } from '../changed.ts';
import { lookedAt } from './rule.ts';
import type { ReminderSettings } from './settings.ts';
import { findSettings, lockRulesAboutDays, moveRule, storeSettings } from './store-rules.ts';

type Deps = { readonly db: Database; readonly clock: Clock; readonly accounts: AccountPolicy };

type SettingsChanges = Changes<ReminderSettings>;

/** What is not named stays. Another time of day applies from the next due day that a rule comes to. */
export async function changeSettings(
  { db, clock, accounts }: Deps,
  accountId: string,
  changes: SettingsChanges,
): Promise<ReminderSettings> {
  const now = clock.now();
  const { quietHours } = changes;
  if (quietHours && quietHours.from === quietHours.until) {
    const message = 'must not be the same as quietHours.from; null removes the quiet hours';
    throw invalidRequest([{ path: 'quietHours.until', code: 'same_time', message }]);
  }
  return db.transaction(async tx => {
    await requireAccount(tx, accounts, accountId, now);
    // Before the settings: the sweep locks a rule and then reads them.
    const rules = await lockRulesAboutDays(tx, accountId);
    const before = await findSettings(tx, accountId);
    const after = changed(before, changes);
    await storeSettings(tx, accountId, after, now);
    for (const rule of after.sendAt === before.sendAt ? [] : rules) {
      await moveRule(tx, rule, lookedAt(rule, after.sendAt, rule.doneUntil));
    }
    setAuditObject(accountId);
    return after;
  });
}
