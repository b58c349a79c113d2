// What is known of a method on any rail: what it can do, the life of it in a charge, and what answers show of it. Each method has a file
// with all of that; methods.ts lists them.
import type { TBoolean, TEnum, TInteger, TOptional, TProperties, TString } from 'typebox';

export const METHOD_STATUSES = [
  'CREATING',
  'ACTIVE',
  'REGISTERED',
  'PAID',
  'SETTLED',
  'PARTIALLY_REFUNDED',
  'REFUNDED',
  'FAILED',
  'OVERDUE',
  'EXPIRED',
  'CANCELED',
  'PAID_BY_OTHER_METHOD',
] as const;
export type MethodStatus = (typeof METHOD_STATUSES)[number];

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
  readonly carries?: string;
};

/** What answers show of every method: the schemas of the fields, and their values. */
export type CommonFields = {
  readonly success: TBoolean;
  readonly status: TEnum<MethodStatus[]>;
  readonly reason: TOptional<TString>;
  readonly receivedCents: TOptional<TInteger>;
};
export type Common = {
  readonly success: boolean;
  readonly status: MethodStatus;
  readonly reason: string | undefined;
};

/** A method of a charge, as far as its own fields are made of it. */
export type Shown<Instrument> = Common & {
  readonly chargeId: string;
  readonly reference: string | undefined;
  /** Absent while it cannot be paid with: its bank has not made it yet, or has refused it. */
  readonly instrument: Instrument | undefined;
};

export type MethodFacts = {
  readonly id: string;
  readonly abilities: MethodAbilities;
  /** The status once its rail has registered it. */
  readonly openStatus: MethodStatus;
  /** The allowed next statuses of each status. A late payment still counts. Drawn in docs/states.md. */
  readonly transitions: { readonly [status in MethodStatus]?: readonly MethodStatus[] };
  /** Why a service does not offer it, for its operator. */
  readonly missing: string;
  /** The fields that answers show of it, in their order, and what they are filled with; what is undefined is left out. */
  fields(common: CommonFields): TProperties;
  show(shown: Shown<unknown>): Common;
};
