// When an order is settled: 0, 1 or 2 Brazilian banking days after the business day of its payment. The business day is
// the day in São Paulo, or the next banking day if the payment came after the cut-off or on a day that is not a banking day.
import { addBankingDays, type BankingDayOverrides, isBankingDay, nextBankingDay } from '../lib/banking-days.ts';
import { addDays, type CivilDay, civilDay, momentOn } from '../lib/civil-days.ts';
import type { SettlementSchedule } from './order.ts';

export type SettlementRules = {
  /** Hours of the day in São Paulo; 17.5 is half past five. A payment at the cut-off or later counts for the next day. */
  readonly cutOffHour: number;
  /** When a settlement day begins. */
  readonly opensAtHour: number;
  /** Whether D0 settles at once at any time, or only on banking days before the cut-off. */
  readonly d0: 'at_once' | 'banking_days';
  /** Days that an operator declared open or closed. */
  readonly bankingDays?: BankingDayOverrides;
};

const DAYS = { D0: 0, D1: 1, D2: 2 } as const satisfies Record<SettlementSchedule, number>;

/** The time of settlement for money that is available from `paidAt` on. */
export function settlementAt(schedule: SettlementSchedule, paidAt: Date, rules: SettlementRules): Date {
  if (schedule === 'D0' && rules.d0 === 'at_once') return paidAt;
  const businessDay = businessDayOf(paidAt, rules);
  // Paid on a banking day before the cut-off: D0 settles at once.
  if (schedule === 'D0' && businessDay === civilDay(paidAt)) return paidAt;
  return momentOn(addBankingDays(businessDay, DAYS[schedule], rules.bankingDays), rules.opensAtHour);
}

export function businessDayOf(paidAt: Date, { cutOffHour, bankingDays }: SettlementRules): CivilDay {
  const day = civilDay(paidAt);
  const isInTime = isBankingDay(day, bankingDays) && paidAt < momentOn(day, cutOffHour);
  return isInTime ? day : nextBankingDay(addDays(day, 1), bankingDays);
}
