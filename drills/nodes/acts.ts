// The acts of callers in every drill: charges by pix and by boleto, orders, payments, refunds, and looks at what
// there is. A charge has a name as its `sourceKey`, which may be there twice, and no `externalId`, which may not: only its
// Idempotency-Key keeps a repeat from making another one, so that a double would be seen. Each charge is paid and refunded once at most.
import type { Caller } from '../../bench/callers.ts';
import { CUSTOMER } from '../../bench/charge-requests.ts';
import type { Random } from '../../test/harness/random.ts';
import type { Tally } from '../tally.ts';

export const REFUND_CENTS = 100;
const ORDER_COST = 500;
export const WALLET = { name: 'Treasury', network: 'polygon', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
/** Sent twice at once, as by a client that does not wait for an answer. */
const TWICE_SHARE = 0.03;

/** Acknowledged writes. */
export type Acknowledged = {
  /** The ids of charges, by their names. */
  readonly charges: ReadonlyMap<string, string>;
  /** The charges of payments, by the references of the payments. */
  readonly payments: ReadonlyMap<string, string>;
  /** The charges of refunds, by the ids of the refunds. */
  readonly refunds?: ReadonlyMap<string, string>;
  /** The ids of orders, by the names of their charges. */
  readonly orders?: ReadonlyMap<string, string>;
};

export type Asked = {
  /** The operation, as figures and faults call it. */
  readonly name: string;
  readonly path: string;
  readonly caller: Caller;
  /** Absent in a look. */
  readonly body?: object;
  readonly key?: string;
};

type Answer = {
  readonly id: string;
  readonly transactionId: string;
  readonly charge: { readonly id: string; readonly payable: { readonly amountCents: number } };
};

/** Undefined: it was refused for good, or not answered for long; the caller keeps that as a fault. */
export type Ask = (asked: Asked) => Promise<Answer | undefined>;

/** A charge that is not paid yet. */
export type Open = {
  readonly id: string;
  readonly number: number;
  readonly method: string;
  readonly amountCents: number;
  readonly caller: Caller;
};

type Terms = {
  readonly amountCents: number;
  readonly methods: readonly string[];
  readonly dueAt: string;
  readonly expireAt?: string;
};

type Acts = Required<Acknowledged> & {
  create(random: Random, number: number, terms: Terms, caller: Caller): Promise<Open | undefined>;
  order(random: Random, number: number, caller: Caller): Promise<Open | undefined>;
  /** True when it was acknowledged. */
  pay(random: Random, open: Open): Promise<boolean>;
  refund(random: Random, open: Open): Promise<void>;
  /** One charge; a missing one is a fault. */
  read(open: Open): Promise<void>;
  list(random: Random, caller: Caller): Promise<void>;
};

export function createActs(ask: Ask, tally: Tally, faults: string[]): Acts {
  const [charges, payments] = [new Map<string, string>(), new Map<string, string>()];
  const [refunds, orders] = [new Map<string, string>(), new Map<string, string>()];
  const wallets = new Map<Caller, Promise<string | undefined>>();

  async function write(random: Random, asked: Asked): Promise<Answer | undefined> {
    const answers = await Promise.all(random.chance(TWICE_SHARE) ? [ask(asked), ask(asked)] : [ask(asked)]);
    const ids = new Set(answers.flatMap(answer => answer?.transactionId ?? answer?.id ?? []));
    if (ids.size > 1) faults.push(`${asked.name}: a repeat got another answer: ${[...ids].join(', ')}`);
    const found = answers.find(answer => answer !== undefined);
    if (found) tally.note();
    return found;
  }

  function walletOf(caller: Caller): Promise<string | undefined> {
    const known = wallets.get(caller);
    if (known) return known;
    const { accountId } = caller;
    const made = ask({ name: 'POST /wallets', path: '/wallets', caller, body: { accountId, ...WALLET } });
    const id = made.then(wallet => wallet?.id);
    wallets.set(caller, id);
    return id;
  }

  return {
    charges,
    payments,
    refunds,
    orders,
    create: async (random, number, terms, caller) => {
      const name = `charge-${number}`;
      const body = chargeBody(name, terms, caller);
      const charge = await write(random, { name: 'POST /charges', path: '/charges', caller, body, key: name });
      if (!charge) return undefined;
      charges.set(name, charge.id);
      return { id: charge.id, number, method: terms.methods[0]!, amountCents: terms.amountCents, caller };
    },
    order: async (random, number, caller) => {
      const walletId = await walletOf(caller);
      if (walletId === undefined) return undefined;
      const name = `order-${number}`;
      const path = '/crypto/transactions';
      const body = orderBody(name, walletId, caller);
      const order = await write(random, { name: `POST ${path}`, path, caller, body, key: name });
      if (!order) return undefined;
      orders.set(name, order.transactionId);
      const { id, payable } = order.charge;
      return { id, number, method: 'pix', amountCents: payable.amountCents, caller };
    },
    pay: async (random, { id, number, method, amountCents, caller }) => {
      const reference = referenceOf(number);
      const body = { amountCents, reference, method };
      const path = `/charges/${id}/payments`;
      const isPaid = await write(random, { name: 'POST /charges/{id}/payments', path, caller, body });
      if (isPaid) payments.set(reference, id);
      return isPaid !== undefined;
    },
    refund: async (random, { id, number, caller }) => {
      const [name, path] = ['POST /charges/{id}/refunds', `/charges/${id}/refunds`];
      const body = { amountCents: REFUND_CENTS };
      const made = await write(random, { name, path, caller, body, key: `refund-${number}` });
      if (made) refunds.set(made.id, id);
    },
    read: async ({ id, caller }) => {
      await ask({ name: 'GET /charges/{id}', path: `/charges/${id}`, caller });
    },
    list: async (random, caller) => {
      const of = `accountId=${caller.accountId}`;
      const page = 1 + random.below(3);
      await ask({ name: 'GET /charges', path: `/charges?${of}&pageSize=50&page=${page}`, caller });
      await ask({ name: 'GET /charges?state=EXPIRED', path: `/charges?${of}&state=EXPIRED&pageSize=50`, caller });
      await ask({ name: 'GET /events', path: `/events?${of}&limit=100`, caller });
    },
  };
}

export function chargeBody(name: string, terms: Terms, { accountId }: Caller): object {
  return { accountId, sourceKey: name, currency: 'BRL', ...terms, customer: CUSTOMER };
}

export function orderBody(name: string, walletId: string, { accountId }: Caller): object {
  const price = { symbol: 'usdc', network: WALLET.network, currency: 'BRL', cost: ORDER_COST };
  const charge = { sourceKey: name, customer: CUSTOMER, methods: ['pix'] };
  return { accountId, ...price, walletId, settlementSchedule: 'D0', charge };
}

/** In the form of the bank's id of a pix. */
export function referenceOf(number: number): string {
  return `E99999999202611161200${String(number).padStart(11, '0')}`;
}
