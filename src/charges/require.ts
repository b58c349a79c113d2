// Finds the charge that a caller names, or refuses; `accountId` restricts it to one account.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import { chargeExists, findCharge } from './store/charges.ts';

export async function requireCharge(db: Sql, id: string, accountId?: string): Promise<Charge> {
  const charge = await findCharge(db, id, accountId);
  if (!charge) throw noSuchCharge();
  return charge;
}

/** Checks without reading the charge. A charge never changes its account. */
export async function requireChargeOf(db: Sql, id: string, accountId?: string): Promise<void> {
  if (accountId !== undefined && !(await chargeExists(db, id, accountId))) throw noSuchCharge();
}

function noSuchCharge(): AppError {
  return new AppError('not_found', 'There is no such charge.');
}
