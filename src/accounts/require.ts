// Checks the account that an object is created for.
import { noSuch } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { findAccounts, type Opening } from './store.ts';

/** Decides which accounts may be used, and which share idempotency keys. */
export type AccountPolicy = {
  /** The ids of those accounts that may be used; an account may be listed more than once. */
  usable(tx: Sql, named: readonly Opening[]): Promise<ReadonlySet<string>>;
  /** The namespace of the idempotency keys of an account. */
  keyScopeOf(accountId: string): string;
};

/** Only accounts that an operator has opened; each has its own idempotency keys. */
export const openedAccounts: AccountPolicy = {
  usable: (tx, named) => findAccounts(tx, [...new Set(named.map(({ id }) => id))]),
  keyScopeOf: accountId => accountId,
};

/** Refuses an account that may not be used. */
export async function requireAccount(tx: Sql, accounts: AccountPolicy, id: string, at: Date): Promise<void> {
  const usable = await accounts.usable(tx, [{ id, at }]);
  if (!usable.has(id)) throw noSuch('account');
}
