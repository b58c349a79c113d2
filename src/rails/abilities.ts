// What each method can do, on any rail. Rules ask this table instead of comparing methods; what only some rails can do, the rail says.
import { METHODS, type Method } from './rail.ts';

export type MethodAbilities = {
  /** With a validity of at most a day it ends at an exact second and is never overdue. The others end with a banking day. */
  readonly endsAtSecond: boolean;
  /**
   * A due day that is not a banking day moves to the next one, and fine, interest and validity count from there. The others can be paid on
   * the next banking day without them, and count from the requested day after that.
   */
  readonly movesDueDay: boolean;
  /** Its bank credits the money on a later banking day: first paid, then settled. */
  readonly isCreditedLater: boolean;
  /** Each payment has an id that is unique in the country. For the others, banks may report one payment under several references. */
  readonly hasPaymentIds: boolean;
  /** Its bank may take a payment back, for example after a fraud. */
  readonly canBeTakenBack: boolean;
  /** Its bank is asked to change the due day, and may have changed it before it says so. */
  readonly asksForDueDay: boolean;
  /** It may carry a code of this method, by which it can also be paid. */
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

/** The methods that have an ability. */
export function methodsThat(holds: (abilities: MethodAbilities) => boolean): Method[] {
  return METHODS.filter(method => holds(ABILITIES[method]));
}
