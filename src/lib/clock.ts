// The only source of business time. Rules use a Clock and never call Date.now().

export type Clock = { now(): Date };

/** The time of the machine. */
export const systemClock: Clock = { now: () => new Date() };

export function laterOf(a: Date, b: Date): Date {
  return a < b ? b : a;
}

export function earlierOf(a: Date, b: Date): Date {
  return a < b ? a : b;
}
