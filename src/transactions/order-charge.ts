// The charge of an order: who pays and how. It asks for the cost of the order and nothing more, and is payable about as long
// as the price holds; money that comes later is kept and held.
import type { Customer, LivingCharge } from '../charges/charge.ts';
import { type BirthDeps, bornCharge } from '../charges/create.ts';
import { addDays, civilDay, momentOn } from '../lib/civil-days.ts';
import { parseUnits } from '../lib/decimals.ts';
import { AppError } from '../lib/errors.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Method } from '../rails/rail.ts';
import type { Order } from './transaction.ts';

/** What a caller says of the charge. */
export type OrderCharge = {
  readonly customer: Customer;
  readonly methods: readonly Method[];
  readonly externalId?: string;
  readonly sourceKey?: string;
  readonly dueAt?: Date;
  readonly expireAt?: Date;
};

/** A boleto takes days to be paid: it is due at the end of the third. */
const BOLETO_DAYS = 3;
const CENT_DECIMALS = 2;

/** The charge in its first moment. Refuses what a charge is refused for, naming the place in the order. */
export function chargeOfOrder(
  deps: BirthDeps,
  order: Order,
  { dueAt, expireAt, ...part }: OrderCharge,
  now: Date,
): LivingCharge {
  const due = dueAt ?? defaultDue(order, part.methods, now);
  try {
    const charge = bornCharge(
      deps,
      {
        ...part,
        accountId: order.accountId,
        amountCents: parseUnits(order.cost, CENT_DECIMALS)!,
        currency: order.currency,
        dueAt: due,
        expireAt: expireAt ?? due,
      },
      uuidV7(now),
      now,
    );
    return { ...charge, transactionId: order.id };
  } catch (error) {
    throw error instanceof AppError ? withinCharge(error) : error;
  }
}

function defaultDue({ quote }: Order, methods: readonly Method[], now: Date): Date {
  if (methods.includes('boleto')) return new Date(momentOn(addDays(civilDay(now), BOLETO_DAYS + 1)).getTime() - 1_000);
  return quote?.expiresAt ?? now;
}

/** The faults of the charge, named from the order's point of view; its amount is the order's cost. */
function withinCharge(error: AppError): AppError {
  const faults = error.faults.map(fault => ({
    ...fault,
    path: fault.path === 'amountCents' ? 'cost' : fault.path === 'currency' ? 'currency' : `charge.${fault.path}`,
  }));
  return new AppError(error.code, error.message, { faults });
}
