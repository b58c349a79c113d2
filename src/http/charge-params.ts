// The charge that an address names.
import { Type } from 'typebox';
import type { LivingCharge } from '../charges/charge.ts';
import { findCharge } from '../charges/store.ts';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';

export const chargeParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

export async function requireCharge(db: Sql, id: string): Promise<LivingCharge> {
  const charge = await findCharge(db, requireChargeId(id));
  if (!charge) throw noSuchCharge();
  return charge;
}

/** The id, when it is one that a charge could have. */
export function requireChargeId(id: string): string {
  const canonical = id.toLowerCase();
  if (!isUuid(canonical)) throw noSuchCharge();
  return canonical;
}

function noSuchCharge(): AppError {
  return new AppError('not_found', 'There is no such charge.');
}
