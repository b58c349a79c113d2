// The only source of business time. Rules use a Clock and never call Date.now().

export type Clock = { now(): Date };

/** The time of the machine. */
export const systemClock: Clock = { now: () => new Date() };

/** A clock that follows another one later, for what is opened before the database that provides the time. */
export function followingClock(first: Clock): Clock & { follow(clock: Clock): void } {
  let followed = first;
  return {
    now: () => followed.now(),
    follow: clock => {
      followed = clock;
    },
  };
}

export function laterOf(a: Date, b: Date): Date {
  return a < b ? b : a;
}

export function earlierOf(a: Date, b: Date): Date {
  return a < b ? a : b;
}
