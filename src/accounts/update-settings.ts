// Changes what payers see of an account.
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidRequest, noSuch } from '../lib/errors.ts';
import type { Database, Sql } from '../storage/database.ts';
import { type AccountSettings, changeSettings, type SettingsChange } from './settings.ts';
import { accountExists } from './store.ts';
import { findSettings, lockAccount, storeSettings } from './store-settings.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Writes nothing when any part of the change is wrong; reports every fault. */
export async function updateSettings(deps: Deps, accountId: string, change: SettingsChange): Promise<AccountSettings> {
  const at = deps.clock.now();
  return deps.db.transaction(async tx => {
    setAuditObject(accountId);
    if (!(await lockAccount(tx, accountId))) throw noSuch('account');
    const { after, faults } = changeSettings(await findSettings(tx, accountId), change);
    if (faults.length > 0) throw invalidRequest(faults);
    await storeSettings(tx, accountId, after, at);
    return after;
  });
}

export async function requireSettings(sql: Sql, accountId: string): Promise<AccountSettings> {
  if (!(await accountExists(sql, accountId))) throw noSuch('account');
  return findSettings(sql, accountId);
}
