// Making and revoking API keys.
import { concerns } from '../lib/act.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { Database } from '../storage/database.ts';
import { hashOfKey, newKey } from './api-key.ts';
import type { Scope } from './scopes.ts';
import { accountExists } from './store.ts';
import { insertKey, markRevoked } from './store-keys.ts';

type Deps = { readonly db: Database; readonly clock: Clock };

export type NewKey = { readonly accountId: string; readonly scopes: readonly Scope[]; readonly name?: string };

/** Makes a key and returns its text, which nobody can tell again. Refuses an account that is not open. */
export async function createKey(deps: Deps, input: NewKey): Promise<{ id: string; text: string }> {
  const key = newKey();
  const createdAt = deps.clock.now();
  await deps.db.transaction(async tx => {
    concerns(key.id);
    if (!(await accountExists(tx, input.accountId))) throw new AppError('not_found', 'There is no such account.');
    await insertKey(tx, { ...input, id: key.id, secretHash: hashOfKey(key.text), createdAt });
  });
  return key;
}

/** From its commit on no node takes the key. Revoking twice is revoking once. */
export async function revokeKey(deps: Deps, id: string): Promise<void> {
  const at = deps.clock.now();
  await deps.db.transaction(async tx => {
    concerns(id);
    if (!(await markRevoked(tx, id, at))) throw new AppError('not_found', 'There is no such key.');
  });
}
