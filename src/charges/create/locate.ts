// Gives new charges free locations of their rails, so that their codes are known before the bank has answered.
import type { Location } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Sql } from '../../storage/database.ts';
import { type Charge, type ChargeMethod, paymentRequest } from '../charge.ts';
import { type LocationWish, lockLocations } from '../store/locations.ts';

/**
 * The same charges, each with a location and its code where a free one is left; the others wait for the bank. The locations
 * are locked until the transaction ends, and `writeNewCharges` assigns them. If a charge is not written or the transaction is rolled
 * back, they stay free.
 */
export async function locateCharges(tx: Sql, rails: Rails, charges: readonly Charge[]): Promise<Charge[]> {
  const wishes = charges.flatMap(charge => charge.methods.flatMap(method => wishOf(rails, charge, method) ?? []));
  if (wishes.length === 0) return [...charges];
  const locked = await lockLocations(tx, wishes);
  return charges.map(charge => {
    const methods = charge.methods.map(method => {
      const wish = wishOf(rails, charge, method);
      const location = wish && locked.get(`${wish.rail} ${wish.kind}`)?.shift();
      return location ? locateMethod(rails, charge, method, location) : method;
    });
    return methods.every((method, index) => method === charge.methods[index]) ? charge : { ...charge, methods };
  });
}

function locateMethod(rails: Rails, charge: Charge, method: ChargeMethod, location: Location): ChargeMethod {
  const { instrument } = railNamed(rails, method.method, method.rail).prepare(
    paymentRequest(charge, method.method),
    location,
  );
  return instrument ? { ...method, instrument, location } : method;
}

function wishOf(rails: Rails, charge: Charge, { method, rail, status, instrument }: ChargeMethod) {
  if (status !== 'CREATING' || instrument) return undefined;
  const { locations } = railNamed(rails, method, rail);
  return locations && ({ rail, kind: locations.kindOf(paymentRequest(charge, method)) } satisfies LocationWish);
}
