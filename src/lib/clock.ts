// The one source of business time. Rules ask a Clock; nobody calls Date.now() in a rule.

export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };
