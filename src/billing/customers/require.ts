// The customer that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Customer } from './customer.ts';
import { findAndLockCustomer, findCustomer } from './store.ts';

export async function requireCustomer(db: Sql, id: string, accountId?: string): Promise<Customer> {
  return found(await findCustomer(db, id, accountId));
}

/** Locks its row until the transaction ends, so that changes of one customer come one after the other. */
export async function lockCustomer(tx: Sql, id: string, accountId?: string): Promise<Customer> {
  return found(await findAndLockCustomer(tx, id, accountId));
}

function found(customer: Customer | undefined): Customer {
  if (!customer) throw new AppError('not_found', 'There is no such customer.');
  return customer;
}
