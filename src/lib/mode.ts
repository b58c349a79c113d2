// What a service is for. A sandbox simulates rails and chains and asks for no credentials; live moves real money.

export const MODES = ['sandbox', 'live'] as const;
export type Mode = (typeof MODES)[number];
