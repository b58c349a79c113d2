// Rules of Pix Automático that each PSP decides itself, as settings of the simulator.
import type { CivilDay } from '../days.ts';

export type AutomaticRules = {
  /** How many days before its due day a charge is accepted at the latest. */
  readonly latestDays: number;
  /** And at the earliest; null for any time, and then it goes to the payer's bank ten days before. */
  readonly earliestDays: number | null;
  readonly countedIn: 'calendar' | 'banking';
  /** The hour of the day before the first attempt until which the receiver may cancel a charge; 24 is the norm's own limit. */
  readonly cancelUntilHour: number;
  /** How long, by the PSP's clock, a message between the PSPs takes. */
  readonly stepMs: number;
  /** Holidays of municipalities, beside the national ones, by `codMun`. */
  readonly localHolidays: Readonly<Record<string, readonly CivilDay[]>>;
};

export const DEFAULT_AUTOMATIC_RULES: AutomaticRules = {
  latestDays: 2,
  earliestDays: 10,
  countedIn: 'calendar',
  cancelUntilHour: 22,
  stepMs: 1000,
  localHolidays: {},
};

/** Why the payer's bank refuses the next charges that it is asked to schedule. */
export type ChargeRefusal = { readonly codigo: string; readonly descricao?: string; readonly count?: number };

export type Automatic = {
  rules: AutomaticRules;
  refusal: { codigo: string; descricao: string; left: number } | undefined;
};
