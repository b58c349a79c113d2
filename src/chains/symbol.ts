// The assets that can be paid out: the API is fixed to these four.

export const SYMBOLS = ['usdt', 'usdc', 'trx', 'eth'] as const;
export type AssetSymbol = (typeof SYMBOLS)[number];
