// Finds the charge that a caller names, or refuses; `accountId` restricts it to one account.
import { noSuch, requireFound } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { Charge } from './charge.ts';
import { chargeExists, findCharge } from './store/charges.ts';

export async function requireCharge(db: Sql, id: string, accountId?: string): Promise<Charge> {
  return requireFound(await findCharge(db, id, accountId), 'charge');
}

/** Checks without reading the charge. A charge never changes its account. */
export async function requireChargeOf(db: Sql, id: string, accountId?: string): Promise<void> {
  if (accountId !== undefined && !(await chargeExists(db, id, accountId))) throw noSuch('charge');
}
