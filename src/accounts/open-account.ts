// Opens accounts.
import { setAuditObject } from '../lib/audit-context.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../storage/database.ts';
import { type Account, findAccount, openAccount } from './store.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

/** Opens an account, or returns the open one with this id. */
export async function openNamedAccount(deps: Deps, id: string): Promise<{ account: Account; isNew: boolean }> {
  const createdAt = deps.clock.now();
  return deps.db.transaction(async tx => {
    setAuditObject(id);
    const found = await findAccount(tx, id);
    if (found) return { account: found, isNew: false };
    await openAccount(tx, id, createdAt);
    return { account: { id, createdAt }, isNew: true };
  });
}
