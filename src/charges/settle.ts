// When a paid boleto is credited: on the day that the bank gives, else on the banking day after the payment.
import { addBankingDays } from '../lib/banking-days.ts';
import { civilDay, momentOn } from '../lib/civil-days.ts';
import { type Charge, isOrdered, type Payment } from './charge.ts';
import type { NewTimer } from './store/timers.ts';

const BANKING_DAYS_TO_SETTLE = 1;

export function settlementTimer(charge: Charge, { paidAt, creditDay }: Payment): NewTimer {
  const day = creditDay ?? addBankingDays(civilDay(paidAt), BANKING_DAYS_TO_SETTLE);
  const { id, accountId } = charge;
  return { chargeId: id, accountId, kind: 'settle', at: momentOn(day), isAwaited: isOrdered(charge) };
}
