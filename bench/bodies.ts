// Charges as a caller sends them: each with its own externalId, spread over some accounts.

const ACCOUNTS = 20;
const DUE_AFTER_MS = 7 * 86_400_000;
const startedAt = Date.now().toString(36);
let made = 0;

/** The body of the next charge; no two are the same. */
export function chargeBody(): Record<string, unknown> {
  const number = ++made;
  return {
    accountId: `shop-${number % ACCOUNTS}`,
    externalId: `order-${startedAt}-${number}`,
    // Whole reais: the bank of the sandbox plays its tricks on amounts that end in 90.01 to 90.05.
    amountCents: 100 * (10 + ((number * 79) % 9_000)),
    currency: 'BRL',
    methods: ['boleto', 'pix'],
    customer: {
      name: 'Maria da Silva',
      document: '529.982.247-25',
      type: 'individual',
      address: {
        street: 'Rua das Laranjeiras',
        number: '120',
        postalCode: '22240-003',
        city: 'Rio de Janeiro',
        state: 'RJ',
        countryCode: 'BR',
      },
    },
    taxes: { fine: 2, interest: 1 },
    dueAt: new Date(Date.now() + DUE_AFTER_MS).toISOString(),
  };
}
