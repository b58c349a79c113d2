// The assets that can be paid out. The given interface has these four and no other.

export const SYMBOLS = ['usdt', 'usdc', 'trx', 'eth'] as const;
export type AssetSymbol = (typeof SYMBOLS)[number];
