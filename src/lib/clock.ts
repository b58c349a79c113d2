// The one source of business time. Rules ask a Clock; nobody calls Date.now() in a rule.

export type Clock = {
  now(): Date;
  /** Learns what other nodes know of the time. Called where a piece of work begins. */
  refresh(): Promise<void>;
};

export const systemClock: Clock = { now: () => new Date(), refresh: async () => {} };
