// The currencies of prices and charges. Pix and boleto themselves are paid only in reais.

export const CURRENCIES = ['BRL', 'USD', 'EUR'] as const;
export type Currency = (typeof CURRENCIES)[number];
