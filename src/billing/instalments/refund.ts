// Refunds an instalment plan: whatever is left of each of its payments, one by one, each with a refund of its own.
import type { Charge, Refund } from '../../charges/charge.ts';
import { refundableCents } from '../../charges/life.ts';
import { type RefundDeps, requestRefund } from '../../charges/refund/refund.ts';
import { findCharges } from '../../charges/store/charges.ts';
import { findChargesOfPlan } from '../../charges/store/of-plan.ts';
import { AppError, isOutage } from '../../lib/errors.ts';
import type { InstalmentPlan } from './instalment-plan.ts';

/** What became of one charge of the plan that has received money. */
export type ChargeRefunds = {
  /** Which instalment it is, or asks for the rest of. */
  readonly number: number;
  readonly charge: Charge;
  /** Those that were asked for now and before: PENDING until the bank has answered. */
  readonly refunds: readonly Refund[];
  /** Why the rest of a payment cannot be refunded here. */
  readonly refused?: { readonly code: string; readonly reason: string };
};

/**
 * Every refund is reserved in a transaction of its own, so one that is refused stops no other; an outage ends the request, and a repeat
 * goes on: only what is left is refunded. `admit` throws if the whole sum may not go back, before anything is asked for.
 */
export async function refundInstalments(
  deps: RefundDeps,
  plan: InstalmentPlan,
  admit: (backCents: bigint) => void,
): Promise<ChargeRefunds[]> {
  const of = await findChargesOfPlan(deps.db, plan);
  const charges = await findCharges(
    deps.db,
    of.map(({ id }) => id),
  );
  const paid = of.flatMap(({ id, number }) => {
    const charge = charges.find(each => each.id === id);
    return charge && charge.payments.length > 0 ? [{ number, charge }] : [];
  });
  if (paid.length === 0) throw new AppError('wrong_state', 'Nothing of this plan was paid.');
  admit(paid.reduce((sum, { charge }) => sum + arrivedCents(charge), 0n));
  const results: ChargeRefunds[] = [];
  for (const { number, charge } of paid) results.push({ number, ...(await refundCharge(deps, charge)) });
  return results;
}

async function refundCharge(deps: RefundDeps, before: Charge): Promise<Omit<ChargeRefunds, 'number'>> {
  let charge = before;
  let refused: ChargeRefunds['refused'];
  for (const payment of before.payments) {
    if (refundableCents(charge, payment) <= 0n) continue;
    try {
      ({ charge } = await requestRefund(deps, { chargeId: charge.id, amount: 'all', paymentId: payment.id }));
    } catch (error) {
      if (!(error instanceof AppError) || isOutage(error)) throw error;
      refused = { code: error.code, reason: error.message };
    }
  }
  return { charge, refunds: charge.refunds, ...(refused && { refused }) };
}

/** Everything that came: what went back before counts too, as it does for a charge. */
function arrivedCents({ payments }: Charge): bigint {
  return payments.reduce((sum, { amountCents }) => sum + amountCents, 0n);
}
