// The charge that an address names.
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { LivingCharge } from '../charges/charge.ts';
import { chargeExists, findCharge } from '../charges/store.ts';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Sql } from '../storage/database.ts';

export const chargeParams = Type.Object({ id: Type.String({ format: 'uuid' }) });

type ChargeRequest = FastifyRequest<{ Params: { id: string } }>;

/** The charge, when it is one that the caller may see. */
export async function requireCharge(db: Sql, { params, caller }: ChargeRequest): Promise<LivingCharge> {
  const charge = await findCharge(db, requireId(params.id), caller?.accountId);
  if (!charge) throw noSuchCharge();
  return charge;
}

/** The id, when it is one of a charge that the caller may change: a charge never changes its account. */
export async function requireChargeId(db: Sql, { params, caller }: ChargeRequest): Promise<string> {
  const id = requireId(params.id);
  if (caller && !(await chargeExists(db, id, caller.accountId))) throw noSuchCharge();
  return id;
}

function requireId(id: string): string {
  const canonical = id.toLowerCase();
  if (!isUuid(canonical)) throw noSuchCharge();
  return canonical;
}

function noSuchCharge(): AppError {
  return new AppError('not_found', 'There is no such charge.');
}
