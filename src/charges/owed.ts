// What a charge asks for on a day, by one of its methods.
import { type CivilDay, civilDay } from '../lib/civil-days.ts';
import type { Method } from '../rails/rail.ts';
import { type AmountOwed, amountOwed } from './amount.ts';
import type { Charge } from './charge.ts';

export function owedOn(charge: Charge, method: Method, on: CivilDay): AmountOwed {
  const { payableCents, finePercent, interestPercent } = charge;
  return amountOwed({
    method,
    payableCents,
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    dueDay: civilDay(charge.dueAt),
    expireDay: civilDay(charge.expireAt),
    on,
  });
}
