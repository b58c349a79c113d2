// The mode of a service. A sandbox simulates rails and chains and needs no credentials; live moves real money.

export const MODES = ['sandbox', 'live'] as const;
export type Mode = (typeof MODES)[number];
