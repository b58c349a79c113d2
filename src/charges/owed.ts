// The amount owed on a charge on a day, by one of its methods, and when the charge closes.
import { addDays, type CivilDay, civilDay, momentOn } from '../lib/civil-days.ts';
import type { Method } from '../rails/rail.ts';
import { type AmountOwed, amountOwed, lastPayableDay } from './amount.ts';
import type { Charge } from './charge.ts';

/** A cap for interest over absurdly long times: above any real payment, and far below where a JSON number loses cents. */
const MAX_PART_CENTS = 1_000_000_000_000_000n;

export function owedOn(charge: Charge, method: Method, on: CivilDay): AmountOwed {
  const { payableCents, finePercent, interestPercent } = charge;
  const owed = amountOwed({
    method,
    payableCents,
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    dueDay: civilDay(charge.dueAt),
    expireDay: civilDay(charge.expireAt),
    on,
  });
  const lines = owed.lines.map(line => ({ ...line, amountCents: capped(line.amountCents) }));
  return { ...owed, lines, totalCents: lines.reduce((sum, line) => sum + line.amountCents, 0n) };
}

function capped(amountCents: bigint): bigint {
  return amountCents < MAX_PART_CENTS ? amountCents : MAX_PART_CENTS;
}

/** The years in which the banking calendar is used; outside them a charge closes at `expireAt`. */
const CALENDAR = { from: '1990-01-01', to: '2100-01-01' };

/**
 * When a charge stops being payable: at `expireAt`, or at the end of the last payable day of its methods when that is
 * later. A charge that expires on a Saturday is payable on Monday.
 */
export function closesAt(charge: Charge): Date {
  const dueDay = civilDay(charge.dueAt);
  const expireDay = civilDay(charge.expireAt);
  if (dueDay < CALENDAR.from || expireDay > CALENDAR.to) return charge.expireAt;
  const lastDays = charge.methods.map(({ method }) => lastPayableDay({ method, dueDay, expireDay }));
  const end = momentOn(
    addDays(
      lastDays.reduce((a, b) => (a > b ? a : b)),
      1,
    ),
  );
  return end > charge.expireAt ? end : charge.expireAt;
}
