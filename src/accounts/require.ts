// The account that something is made for.
import { AppError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Sql } from '../storage/database.ts';
import { accountExists, findAccounts, type Opening, openAccount, openAccounts } from './store.ts';

/** A sandbox opens an account when it is first named; live refuses one that it does not know. */
export async function requireAccount(tx: Sql, mode: Mode, accountId: string, at: Date): Promise<void> {
  if (mode === 'sandbox') return openAccount(tx, accountId, at);
  if (!(await accountExists(tx, accountId))) throw new AppError('not_found', 'There is no such account.');
}

/** The same for many at once: those that something can be made for. */
export async function usableAccounts(tx: Sql, mode: Mode, named: readonly Opening[]): Promise<ReadonlySet<string>> {
  const ids = named.map(({ id }) => id);
  if (mode === 'live') return findAccounts(tx, ids);
  await openAccounts(tx, named);
  return new Set(ids);
}
