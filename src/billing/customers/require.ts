// The customer that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Customer } from './customer.ts';
import { findAndLockCustomer, findCustomer } from './store.ts';

export async function requireCustomer(db: Sql, id: string, accountId?: string): Promise<Customer> {
  return requireFound(await findCustomer(db, id, accountId), 'customer');
}

/** Locks its row until the transaction ends, so that changes of one customer come one after the other. */
export async function lockCustomer(tx: Sql, id: string, accountId?: string): Promise<Customer> {
  return requireFound(await findAndLockCustomer(tx, id, accountId), 'customer');
}
