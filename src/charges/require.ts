// The charge that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import { chargeExists, findCharge } from './store/charges.ts';

export async function requireCharge(db: Sql, id: string, accountId?: string): Promise<Charge> {
  const charge = await findCharge(db, id, accountId);
  if (!charge) throw noSuchCharge();
  return charge;
}

/** Without reading the charge. The answer stays true: a charge never changes its account. */
export async function requireChargeOf(db: Sql, id: string, accountId?: string): Promise<void> {
  if (accountId !== undefined && !(await chargeExists(db, id, accountId))) throw noSuchCharge();
}

function noSuchCharge(): AppError {
  return new AppError('not_found', 'There is no such charge.');
}
