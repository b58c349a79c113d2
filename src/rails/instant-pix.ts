// Which pix charges are instant: they end at an exact second, which no banking day moves.
import { civilDay, DAY_MS } from '../lib/civil-days.ts';
import type { PaymentRequest } from './rail.ts';

type Terms = Pick<PaymentRequest, 'createdAt' | 'expireAt' | 'dueDay' | 'finePercent' | 'interestPercent'>;

/** Valid for at most 24 hours, without fine and interest, and not due on a day that was already past when it was made. */
export function isInstantPix({ createdAt, expireAt, dueDay, finePercent, interestPercent }: Terms): boolean {
  const hasTaxes = isCharged(finePercent) || isCharged(interestPercent);
  const isWithinADay = expireAt.getTime() - createdAt.getTime() <= DAY_MS;
  return isWithinADay && !hasTaxes && dueDay >= civilDay(createdAt);
}

/** Whether a percent, which is absent or decimal text, is above zero. */
export function isCharged(percent: string | undefined): percent is string {
  return percent !== undefined && /[1-9]/.test(percent);
}
