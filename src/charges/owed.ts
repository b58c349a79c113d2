// The amount owed on a charge on a day, by one of its methods, and when it stops being payable.
import { addDays, type CivilDay, civilDay, momentOn } from '../lib/civil-days.ts';
import type { Method } from '../rails/methods/methods.ts';
import { type AmountOwed, amountOwed, lastPayableDay } from './amount.ts';
import { type Charge, type ChargeMethod, datesOf, isInstant, payableReductions } from './charge.ts';

/** A cap for interest over absurdly long times: above any real payment, and far below the point where a JSON number loses cents. */
const MAX_PART_CENTS = 1_000_000_000_000_000n;

export function owedOn(charge: Charge, method: Method, on: CivilDay): AmountOwed {
  const { payableCents, finePercent, interestPercent } = charge;
  const { dueAt, expireAt } = datesOf(charge, method);
  const owed = amountOwed({
    method,
    payableCents,
    ...(finePercent !== undefined && { finePercent }),
    ...(interestPercent !== undefined && { interestPercent }),
    ...payableReductions(charge),
    dueDay: civilDay(dueAt),
    expireDay: civilDay(expireAt),
    isInstant: isInstant(charge, method),
    createdDay: civilDay(charge.createdAt),
    on,
  });
  const lines = owed.lines.map(line => ({ ...line, amountCents: capped(line.amountCents) }));
  return { ...owed, lines, totalCents: lines.reduce((sum, line) => sum + line.amountCents, 0n) };
}

function capped(amountCents: bigint): bigint {
  return amountCents < MAX_PART_CENTS ? amountCents : MAX_PART_CENTS;
}

/** The years in which the banking calendar is used; outside them a method ends at `expireAt`. */
const CALENDAR = { from: '1990-01-01', to: '2100-01-01' };

/**
 * When a method stops being payable. An instant pix ends at its second; another method at the end of its last payable day, if that is
 * later: a boleto that expires on a Saturday is payable on Monday.
 */
export function endOf(charge: Charge, method: Method): Date {
  const { dueAt, expireAt } = datesOf(charge, method);
  const dueDay = civilDay(dueAt);
  const expireDay = civilDay(expireAt);
  if (isInstant(charge, method) || dueDay < CALENDAR.from || expireDay > CALENDAR.to) return expireAt;
  const end = momentOn(addDays(lastPayableDay({ method, dueDay, expireDay }), 1));
  return end > expireAt ? end : expireAt;
}

/** When the last of a charge's methods stops being payable. */
export function closesAt(charge: Charge): Date {
  return new Date(Math.max(...endsOf(charge, charge.methods)));
}

/** When the first of these methods of a charge stops being payable; undefined without methods. */
export function firstEnd(charge: Charge, methods: readonly ChargeMethod[]): Date | undefined {
  return methods.length === 0 ? undefined : new Date(Math.min(...endsOf(charge, methods)));
}

function endsOf(charge: Charge, methods: readonly ChargeMethod[]): number[] {
  return methods.map(({ method }) => endOf(charge, method).getTime());
}
