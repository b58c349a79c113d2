// What holds of each method, whatever its rail. Rules ask this table and compare no methods; what one rail can and another cannot, the rail says.
import { METHODS, type Method } from './rail.ts';

export type MethodAbilities = {
  /** With a validity of a day at most it ends at its second, and is never overdue. The others end with a banking day. */
  readonly endsAtSecond: boolean;
  /**
   * A due day that is no banking day moves to the next one, and fine, interest and validity count from there. The others may be paid on the
   * next banking day without them, and after that count from the day that was asked for.
   */
  readonly movesDueDay: boolean;
  /** Its bank credits it on a later banking day: paid first, settled then. */
  readonly isCreditedLater: boolean;
  /** Each payment has an id of its own in the whole country. Of the others, banks may report one payment under several references. */
  readonly hasPaymentIds: boolean;
  /** Its bank may take a payment back, as after a fraud. */
  readonly canBeTakenBack: boolean;
  /** Its bank is asked for another due day, and may have it before it says so. */
  readonly asksForDueDay: boolean;
  /** It may carry a code of this method, by which it can be paid too. */
  readonly carries?: Method;
};

export const ABILITIES: Readonly<Record<Method, MethodAbilities>> = {
  boleto: {
    endsAtSecond: false,
    movesDueDay: false,
    isCreditedLater: true,
    hasPaymentIds: false,
    canBeTakenBack: false,
    asksForDueDay: true,
    carries: 'pix',
  },
  pix: {
    endsAtSecond: true,
    movesDueDay: true,
    isCreditedLater: false,
    hasPaymentIds: true,
    canBeTakenBack: true,
    asksForDueDay: false,
  },
};

/** The methods of which something holds. */
export function methodsThat(holds: (abilities: MethodAbilities) => boolean): Method[] {
  return METHODS.filter(method => holds(ABILITIES[method]));
}
