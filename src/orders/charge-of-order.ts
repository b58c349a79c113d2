// Builds the charge of an order. Its amount is the cost of the order. Its pix ends with the price; a boleto beside it stays payable, and
// a later payment puts the order on hold.

import type { Charge, Customer, Metadata } from '../charges/charge.ts';
import { type BuildDeps, buildCharge } from '../charges/create/build.ts';
import { addDays, civilDay, DAY_MS, momentOn } from '../lib/civil-days.ts';
import { parseUnits } from '../lib/decimals.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import { ABILITIES } from '../rails/abilities.ts';
import type { Method } from '../rails/methods/methods.ts';
import type { Order } from './order.ts';

/** The fields of the charge that the caller gives. */
export type OrderCharge = {
  readonly customer: Customer;
  readonly methods: readonly Method[];
  readonly externalId?: string;
  readonly sourceKey?: string;
  readonly description?: string;
  readonly metadata?: Metadata;
  readonly dueAt?: Date;
  readonly expireAt?: Date;
};

/** A boleto takes days to be paid, so it is due at the end of the third day. */
const BOLETO_DAYS = 3;
const CENT_DECIMALS = 2;

/** Refuses what `buildCharge` refuses; the faults name the fields of the order request. */
export function chargeOfOrder(
  deps: BuildDeps,
  order: Order,
  { dueAt, expireAt, ...part }: OrderCharge,
  now: Date,
): Charge {
  const due = dueAt ?? defaultDue(order, part.methods, now);
  const end = expireAt ?? due;
  const pixEndsAt = priceEndBefore(end, order, now);
  try {
    const charge = buildCharge(
      deps,
      {
        ...part,
        accountId: order.accountId,
        amountCents: parseUnits(order.cost, CENT_DECIMALS)!,
        currency: order.currency,
        dueAt: due,
        expireAt: end,
        ...(pixEndsAt && { pixEndsAt }),
      },
      uuidV7(now),
      now,
    );
    return { ...charge, orderId: order.id };
  } catch (error) {
    throw error instanceof AppError ? withinCharge(error) : error;
  }
}

function defaultDue({ quote }: Order, methods: readonly Method[], now: Date): Date {
  if (methods.every(method => ABILITIES[method].endsAtSecond)) return quote?.expiresAt ?? now;
  return new Date(momentOn(addDays(civilDay(now), BOLETO_DAYS + 1)).getTime() - 1_000);
}

/** The end of the price, if it comes first and soon enough for a pix that ends at an exact time. */
function priceEndBefore(end: Date, { quote }: Order, now: Date): Date | undefined {
  const priceEndsAt = quote?.expiresAt;
  if (!priceEndsAt || priceEndsAt >= end || priceEndsAt.getTime() - now.getTime() > DAY_MS) return undefined;
  return priceEndsAt;
}

/** Renames the faults of the charge to fields of the order request; the amount of the charge is the cost of the order. */
function withinCharge(error: AppError): AppError {
  const faults = error.faults.map(fault => ({
    ...fault,
    path: fault.path === 'amountCents' ? 'cost' : fault.path === 'currency' ? 'currency' : `charge.${fault.path}`,
  }));
  return new AppError(error.code, error.message, { faults });
}
