// An instalment plan with its charges, and with what is owed and was paid of it.
import { balanceView } from '../../charges/balance.ts';
import type { Charge } from '../../charges/charge.ts';
import { isUnpaid } from '../../charges/life.ts';
import type { Links } from '../../charges/links/links.ts';
import { findCharges } from '../../charges/store/charges.ts';
import { chargesOfPlan, findChargesOfPlan } from '../../charges/store/of-plan.ts';
import { readChargeSums } from '../../charges/store/sums.ts';
import { chargeView } from '../../charges/view.ts';
import type { Sql } from '../../storage/database.ts';
import type { InstalmentPlan } from './instalment-plan.ts';
import { instalmentPlanView } from './view.ts';

export async function showInstalmentPlan(
  { db, links }: { readonly db: Sql; readonly links: Links },
  plan: InstalmentPlan,
) {
  const [sums, charges] = await Promise.all([
    readChargeSums(db, parameter => chargesOfPlan(plan, parameter)),
    readInstalments(db, plan),
  ]);
  return {
    ...instalmentPlanView(links, plan),
    balance: balanceView(sums),
    charges: charges.map(charge => chargeView(links, charge)),
  };
}

/** The charges of a plan in their order, without those for the rest of one that was paid in part. */
export async function readInstalments(sql: Sql, plan: InstalmentPlan): Promise<Charge[]> {
  const parts = await readParts(sql, plan);
  return parts.filter(({ charge }) => charge.instalment).map(({ charge }) => charge);
}

/** A charge of a plan, and which instalment it is or asks for the rest of. */
export type PlanPart = { readonly number: number; readonly charge: Charge };

/** What a payer may pay: the instalments in their order, each followed by the open charge for its rest. */
export async function readPayableParts(sql: Sql, plan: InstalmentPlan): Promise<PlanPart[]> {
  const parts = await readParts(sql, plan);
  return parts.filter(({ charge }) => charge.instalment !== undefined || charge.methods.some(isUnpaid));
}

/** A charge for a rest is newer than the one that it is of. */
async function readParts(sql: Sql, plan: InstalmentPlan): Promise<PlanPart[]> {
  const of = await findChargesOfPlan(sql, plan);
  const charges = await findCharges(
    sql,
    of.map(({ id }) => id),
  );
  return of.flatMap(({ id, number }) => {
    const charge = charges.find(each => each.id === id);
    return charge ? { number, charge } : [];
  });
}
