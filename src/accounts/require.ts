// The account that something is made for.
import { AppError } from '../lib/errors.ts';
import type { Mode } from '../lib/mode.ts';
import type { Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';
import { accountExists, accountsCheck, accountsOpening, type Opening, openAccount } from './store.ts';

/** A sandbox opens an account when it is first named; live refuses one that it does not know. */
export async function requireAccount(tx: Sql, mode: Mode, accountId: string, at: Date): Promise<void> {
  if (mode === 'sandbox') return openAccount(tx, accountId, at);
  if (!(await accountExists(tx, accountId))) throw new AppError('not_found', 'There is no such account.');
}

/** The same for many at once, as a statement that fails with those that live does not know. */
export function accountsRequirement(mode: Mode, named: readonly Opening[]): Statement {
  return mode === 'sandbox' ? accountsOpening(named) : accountsCheck(named.map(({ id }) => id));
}
