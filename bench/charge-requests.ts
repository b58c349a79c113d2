// Charges as callers send them: each with its own externalId, the callers one after another.
import type { Mode } from '../src/lib/mode.ts';
import type { Caller } from './callers.ts';
import { post } from './http-load.ts';

const DUE_AFTER_MS = 7 * 86_400_000;
const startedAt = Date.now().toString(36);
let count = 0;

/** The live service of a benchmark has a pix key and no agreement for boletos. */
const METHODS = { live: ['pix'], sandbox: ['boleto', 'pix'] } as const satisfies Record<Mode, readonly string[]>;

/** With the fields that boletos need. */
export const CUSTOMER = {
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
};

/** The fields that all charges share. */
const SHARED = {
  currency: 'BRL',
  customer: CUSTOMER,
  taxes: { fine: 2, interest: 1 },
};

export type ChargeRequests = {
  /** The next charge and its caller; no two are the same. */
  next(): { readonly caller: Caller; readonly charge: ReturnType<typeof newCharge> };
  /** The next charge as JSON, built with little work: the load generator shares the machine with the service. */
  nextText(): { readonly caller: Caller; readonly text: string };
  /** The next charge as a whole HTTP request to the service. */
  nextRequest(): string;
};

export function chargeRequests(mode: Mode, callers: readonly Caller[]): ChargeRequests {
  const shared = { methods: METHODS[mode], ...SHARED };
  const sharedText = JSON.stringify(shared).slice(1);

  function nextText() {
    const { caller, own } = nextOwn(callers);
    const { accountId, externalId, amountCents, dueAt } = own;
    const text = `{"accountId":"${accountId}","externalId":"${externalId}","amountCents":${amountCents},"dueAt":"${dueAt}",${sharedText}`;
    return { caller, text };
  }

  return {
    next: () => {
      const { caller, own } = nextOwn(callers);
      return { caller, charge: newCharge(own, mode) };
    },
    nextText,
    nextRequest: () => {
      const { caller, text } = nextText();
      return post('/charges', text, caller.headers);
    },
  };
}

function newCharge(own: OwnFields, mode: Mode) {
  return { ...own, methods: METHODS[mode], ...SHARED };
}

/** The fields in which charges differ. */
type OwnFields = {
  readonly accountId: string;
  readonly externalId: string;
  readonly amountCents: number;
  readonly dueAt: string;
};

function nextOwn(callers: readonly Caller[]): { caller: Caller; own: OwnFields } {
  const number = ++count;
  const caller = callers[number % callers.length]!;
  const own = {
    accountId: caller.accountId,
    externalId: `order-${startedAt}-${number}`,
    // Whole reais: the sandbox bank injects faults for amounts that end in 90.01 to 90.05.
    amountCents: 100 * (10 + ((number * 79) % 9_000)),
    dueAt: new Date(Date.now() + DUE_AFTER_MS).toISOString(),
  };
  return { caller, own };
}
