// The input and the result of booking an entry of a return file.

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
  /** For a person, where the outcome alone does not say enough. */
  readonly remark?: string;
};

export type ReportedEntry = {
  readonly rail: Rail;
  readonly entry: ReturnEntry;
  /** Its number among identical entries of its file, from 1. Its mark is part of the reference of a payment. */
  readonly count: number;
  /** Another file has already had an identical entry. */
  readonly isRepeated: boolean;
  /** The day of the file, for an entry without a day. */
  readonly fileDay: CivilDay | undefined;
};

/** For an entry that changed nothing: `repeated` if another file already had it. */
export function unchanged({ isRepeated }: ReportedEntry, otherwise: Booking): Booking {
  return isRepeated ? { outcome: 'repeated' } : otherwise;
}

/** The bank's reasons as text for a person; without reasons, the meaning of its code. */
export function reasonsIn({ reasons, text }: ReturnEntry): string {
  return reasons.length === 0 ? text : reasons.map(({ code, text: why }) => `${code} ${why}`).join(', ');
}
