// What booking an entry of a return file needs, and what comes of it.

import type { ReturnEntry } from '@trilho/cnab';
import type { CivilDay } from '../../lib/civil-days.ts';
import type { Rail } from '../../rails/rail.ts';
import type { Rails } from '../../rails/rails.ts';
import type { DecisionBatches } from '../issue/decide.ts';
import type { ReceiptDeps } from '../receive/receipts.ts';
import type { ReturnOutcome } from './store-returns.ts';

export type BookDeps = ReceiptDeps & { readonly rails: Rails; readonly decisionBatches: DecisionBatches };

export type Booking = {
  readonly outcome: ReturnOutcome;
  /** For a person, where the outcome does not say it all. */
  readonly remark?: string;
};

export type Told = {
  readonly rail: Rail;
  readonly entry: ReturnEntry;
  /** Which of the entries of its file it is that say the same: 1 for the first. Its mark is part of the reference of a payment. */
  readonly count: number;
  /** Another file has brought the same before. */
  readonly isToldBefore: boolean;
  /** The day of the file, for an entry without a day. */
  readonly fileDay: CivilDay | undefined;
};

/** For an entry that changed nothing: `repeated` if another file has brought it before. */
export function unchanged({ isToldBefore }: Told, otherwise: Booking): Booking {
  return isToldBefore ? { outcome: 'repeated' } : otherwise;
}

/** The bank's reasons as text for a person; the meaning of its code where it names no reason. */
export function reasonsIn({ reasons, text }: ReturnEntry): string {
  return reasons.length === 0 ? text : reasons.map(({ code, text: why }) => `${code} ${why}`).join(', ');
}
