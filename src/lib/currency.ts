// The currencies a price may be named in. Pix and boleto themselves know only reais.

export const CURRENCIES = ['BRL', 'USD', 'EUR'] as const;
export type Currency = (typeof CURRENCIES)[number];
