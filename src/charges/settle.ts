// When the bank has the money of a paid boleto at hand: on the banking day after it was paid.
import { addBankingDays } from '../lib/banking-days.ts';
import { civilDay, momentOn } from '../lib/civil-days.ts';
import type { Charge, Payment } from './charge.ts';
import type { Timer } from './store-timers.ts';

const BANKING_DAYS_TO_SETTLE = 1;

export function settlementTimer({ id, accountId }: Charge, { paidAt }: Payment): Timer {
  const day = addBankingDays(civilDay(paidAt), BANKING_DAYS_TO_SETTLE);
  return { chargeId: id, accountId, kind: 'settle', at: momentOn(day) };
}
