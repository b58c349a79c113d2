// When an order is settled: so many Brazilian banking days after the business date of its payment. The business date is the
// day in São Paulo, or the next banking day when the payment came after the cut-off or on a day without banks.
import { addBankingDays, type BankingDayOverrides, isBankingDay, nextBankingDay } from '../lib/banking-days.ts';
import { addDays, type CivilDay, civilDay, momentOn } from '../lib/civil-days.ts';
import type { SettlementSchedule } from './transaction.ts';

export type SettlementRules = {
  /** Hours of the day in São Paulo; 17.5 is half past five. What is paid at the cut-off or later counts for the next day. */
  readonly cutOffHour: number;
  /** When a settlement day begins. */
  readonly opensAtHour: number;
  /** Whether D0 settles at once, day and night, or keeps banking days and the cut-off. */
  readonly d0: 'at_once' | 'banking_days';
  /** Days that an operator declared open or closed. */
  readonly bankingDays?: BankingDayOverrides;
};

const DAYS = { D0: 0, D1: 1, D2: 2 } as const satisfies Record<SettlementSchedule, number>;

/** The moment of settlement for money that is at hand from a moment on. */
export function settlementAt(schedule: SettlementSchedule, paidAt: Date, rules: SettlementRules): Date {
  if (schedule === 'D0' && rules.d0 === 'at_once') return paidAt;
  const businessDay = businessDayOf(paidAt, rules);
  // In time on a banking day: D0 needs no waiting.
  if (schedule === 'D0' && businessDay === civilDay(paidAt)) return paidAt;
  return momentOn(addBankingDays(businessDay, DAYS[schedule], rules.bankingDays), rules.opensAtHour);
}

export function businessDayOf(paidAt: Date, { cutOffHour, bankingDays }: SettlementRules): CivilDay {
  const day = civilDay(paidAt);
  const isInTime = isBankingDay(day, bankingDays) && paidAt < momentOn(day, cutOffHour);
  return isInTime ? day : nextBankingDay(addDays(day, 1), bankingDays);
}
