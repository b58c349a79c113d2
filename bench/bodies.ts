// Charges as a caller sends them: each with its own externalId, spread over some accounts.
import { post } from './load.ts';

const ACCOUNTS = 20;
const DUE_AFTER_MS = 7 * 86_400_000;
const startedAt = Date.now().toString(36);
let made = 0;

/** What every charge has. */
const SAME = {
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
};
const SAME_TEXT = JSON.stringify(SAME).slice(1);

/** What tells the next charge from all others. */
function own() {
  const number = ++made;
  return {
    accountId: `shop-${number % ACCOUNTS}`,
    externalId: `order-${startedAt}-${number}`,
    // Whole reais: the bank of the sandbox plays its tricks on amounts that end in 90.01 to 90.05.
    amountCents: 100 * (10 + ((number * 79) % 9_000)),
    dueAt: new Date(Date.now() + DUE_AFTER_MS).toISOString(),
  };
}

/** The body of the next charge; no two are the same. */
export function chargeBody() {
  return { ...own(), ...SAME };
}

/** The same as JSON, made with little work: whoever asks shares the machine with whoever answers. */
export function chargeText(): string {
  const { accountId, externalId, amountCents, dueAt } = own();
  return `{"accountId":"${accountId}","externalId":"${externalId}","amountCents":${amountCents},"dueAt":"${dueAt}",${SAME_TEXT}`;
}

export function chargeRequest(): string {
  return post('/charges', chargeText());
}
