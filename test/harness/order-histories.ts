// Moves of orders beside those of charges: see harness/histories.ts.
import assert from 'node:assert/strict';
import { CHARGE_MOVES, type History, type Move, newHistory, withoutFault } from './histories.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from './orders.ts';
import type { Random } from './random.ts';
import type { Answer, Service } from './service.ts';

type OrderHistory = History & { readonly driver: OrderDriver; readonly orders: string[] };

export function newOrderHistory(service: Service, accountId: string): OrderHistory {
  return { ...newHistory(service, accountId), driver: orderDriver(service, accountId), orders: [] };
}

/** The same history, continued through another node. */
export function throughNode(state: OrderHistory, service: Service): OrderHistory {
  return { ...state, service, driver: orderDriver(service, state.accountId) };
}

/** Few networks, so that their fault matters to many orders, and after how long a transfer is done and not yet final. */
const ASSETS = [
  { symbol: 'usdt', network: 'polygon', currency: 'BRL', doneAfter: 'PT2M30S' },
  { symbol: 'usdt', network: 'polygon', currency: 'USD', doneAfter: 'PT2M30S' },
  { symbol: 'usdc', network: 'base', currency: 'BRL', doneAfter: 'PT1M' },
  { symbol: 'trx', network: 'tron', currency: 'USD', doneAfter: 'PT1M30S' },
] as const;
const NETWORKS_USED = [...new Set(ASSETS.map(({ network }) => network))];

const SIZES = [{ cost: 541 }, { cost: 19.37 }, { cost: 100.01 }, { quantity: 12.5 }] as const;
const METHOD_CHOICES = [['pix'], ['pix'], ['pix'], ['boleto'], ['boleto', 'pix']] as const;
const SCHEDULES = ['D0', 'D0', 'D1', 'D2'] as const;
const PAID_CENTS = [undefined, undefined, undefined, undefined, 5_000, 100_000] as const;
const CHAIN_FAULTS = ['rpc_timeout', 'stalled', 'reverting', 'reverting', 'refusing', 'empty', 'lagging'] as const;
const WAITS = ['PT1M', 'PT3M', 'PT10M', 'PT4H'] as const;
const REORGANISED = [1, 10, 70, 100] as const;

const post = async ({ service }: History, path: string, body: unknown = {}) =>
  withoutFault(await service.post(path, body));

/** Makes an order and returns its charge, if it has one. */
async function order(state: OrderHistory, network: string, body: Record<string, unknown>): Promise<string | undefined> {
  const { accountId, driver } = state;
  const made = await post(state, '/crypto/transactions', {
    accountId,
    walletId: await driver.wallet(network),
    ...body,
  });
  // Another node may have moved the clock past the quote.
  if (made.json.errors?.[0]?.code === 'expired') return undefined;
  assert.equal(made.status, 201, made.text);
  const { transactionId, charge } = made.json;
  state.orders.push(transactionId);
  if (charge) state.charges.push(charge.id);
  return charge?.id;
}

/** An order that is paid at once and sent while the chain has some fault. */
async function send(state: OrderHistory, random: Random, fault: string): Promise<(typeof ASSETS)[number]> {
  const asset = random.pick(ASSETS);
  const { symbol, network, currency } = asset;
  const wanted = { symbol, network, currency, ...random.pick(SIZES) };
  const chargeId = await order(state, network, { settlementSchedule: 'D0', charge: CHARGE_PART, ...wanted });
  await direct(state, network, { fault });
  await post(state, `/sandbox/charges/${chargeId}/pay`, { method: 'pix' });
  return asset;
}

const direct = async (state: OrderHistory, network: string, change: Record<string, unknown>) =>
  void withoutFault(await state.driver.fault(network, change));

async function wait(state: OrderHistory, duration: string): Promise<void> {
  const moved = await post(state, '/sandbox/clock', { advance: duration });
  // Another node may be moving it.
  assert.ok(moved.status === 200 || moved.json.code === 'wrong_state', moved.text);
}

/** A move about one order; it does nothing until one exists. */
function onOrder(
  name: string,
  weight: number,
  run: (state: OrderHistory, id: string, random: Random) => Promise<unknown>,
): Move<OrderHistory> {
  return {
    name,
    weight,
    run: async (state, random) => {
      if (state.orders.length > 0) await run(state, random.pick(state.orders), random);
    },
  };
}

export async function clearFaults({ driver }: OrderHistory): Promise<void> {
  for (const network of NETWORKS_USED) await driver.fault(network, { fault: 'none' });
}

const OWN_MOVES: readonly Move<OrderHistory>[] = [
  {
    name: 'order',
    weight: 6,
    run: async (state, random) => {
      const { symbol, network, currency } = random.pick(ASSETS);
      const wanted = { symbol, network, currency, ...random.pick(SIZES) };
      const quote = random.chance(0.3) ? await post(state, '/crypto/quotes', wanted) : undefined;
      const chargeId = await order(state, network, {
        settlementSchedule: random.pick(SCHEDULES),
        ...(quote ? { quoteId: quote.json.id } : wanted),
        ...(random.chance(0.9) && { charge: { ...CHARGE_PART, methods: random.pick(METHOD_CHOICES) } }),
      });
      if (chargeId !== undefined && random.chance(0.8)) await payOrder(state, chargeId, random);
    },
  },
  {
    name: 'storm',
    weight: 3,
    run: async (state, random) => {
      const { network } = await send(state, random, random.pick(CHAIN_FAULTS));
      await wait(state, random.pick(['PT1M', 'PT20M']));
      if (random.chance(0.6)) await direct(state, network, { fault: 'none' });
    },
  },
  {
    name: 'undo',
    weight: 2,
    run: async (state, random) => {
      const { network, doneAfter } = await send(state, random, 'none');
      await wait(state, doneAfter);
      await direct(state, network, { reorganise: 100, ...(random.chance(0.5) && { fault: 'reverting' }) });
    },
  },
  {
    name: 'mend',
    weight: 4,
    run: async (state, random) => {
      const verb = random.pick(['reprice', 'retry', 'retry', 'void']);
      for (const id of state.orders) await post(state, `/crypto/transactions/${id}/${verb}`);
    },
  },
  onOrder('attach', 1, async (state, id) => {
    const { status, json } = await post(state, `/crypto/transactions/${id}/charge`, CHARGE_PART);
    if (status === 201) state.charges.push(json.charge.id);
  }),
  onOrder('cancel order', 1, (state, id) => post(state, `/crypto/transactions/${id}/cancel`)),
  { name: 'clear faults', weight: 2, run: state => clearFaults(state) },
  {
    name: 'reorganise',
    weight: 1,
    run: (state, random) => direct(state, random.pick(NETWORKS_USED), { reorganise: random.pick(REORGANISED) }),
  },
  { name: 'wait', weight: 4, run: (state, random) => wait(state, random.pick(WAITS)) },
];

function payOrder(state: OrderHistory, chargeId: string, random: Random): Promise<Answer> {
  const amountCents = random.pick(PAID_CENTS);
  return post(state, `/sandbox/charges/${chargeId}/pay`, {
    method: random.pick(['pix', 'pix', 'boleto']),
    ...(amountCents !== undefined && { amountCents }),
  });
}

/** The moves of charges without the long waits, during which the chains would be looked up all the time. */
export const ORDER_MOVES: readonly Move<OrderHistory>[] = [
  ...CHARGE_MOVES.filter(({ name }) => name !== 'wait' && name !== 'make'),
  ...OWN_MOVES,
];
