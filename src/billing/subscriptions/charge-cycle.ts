// The charge of a cycle: what it asks the customer for, by the terms that the subscription has now. Pure.
import type { Charge } from '../../charges/charge.ts';
import { type BuildDeps, buildCharge } from '../../charges/create/build.ts';
import { addDays, lastSecondOf } from '../../lib/civil-days.ts';
import { AppError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { type Customer, payerOf } from '../customers/customer.ts';
import { buysCrypto } from '../plans/plan.ts';
import { chargeTerms } from './life.ts';
import type { Cycle, Subscription } from './subscription.ts';

/** It can be paid for so long after it is due, and until the plan gives up at least. */
const PAYABLE_DAYS = 30;

/** The charge, or why none can be made: its text goes to the cycle. */
export type Made = { readonly charge: Charge } | { readonly refusal: string };

export function chargeOfCycle(
  deps: BuildDeps,
  subscription: Subscription,
  cycle: Cycle,
  customer: Customer,
  at: Date,
): Made {
  const { accountId, customerId, methods, description, metadata, finePercent, interestPercent } = subscription;
  const { amountCents, currency, dueDay } = chargeTerms(subscription, cycle, at);
  const payableDays = Math.max(PAYABLE_DAYS, subscription.unpaidAfterDays);
  return orRefusal(() => {
    const asked = {
      ...{ accountId, customerId, amountCents, currency, methods, description },
      customer: payerOf(customer),
      dueAt: lastSecondOf(dueDay),
      expireAt: lastSecondOf(addDays(dueDay, payableDays)),
      ...(metadata && { metadata }),
      ...(finePercent !== undefined && { finePercent }),
      ...(interestPercent !== undefined && { interestPercent }),
    };
    const charge = buildCharge(deps, asked, uuidV7(at), at);
    const ofCycle = { subscriptionId: subscription.id, cycleNumber: cycle.number };
    return { charge: { ...charge, ...ofCycle, ...(buysCrypto(subscription) && { isForCrypto: true as const }) } };
  });
}

function orRefusal(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    return { refusal: refusalOf(error) };
  }
}

/** The reason of a refusal with the fields that it names. Anything else is a fault of the service: it is not hidden here. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof AppError)) throw error;
  const faults = error.faults.map(({ path, message }) => `${path} ${message}`);
  return faults.length === 0 ? error.message : faults.join('; ');
}
