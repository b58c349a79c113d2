// Moves of orders beside those of charges: see harness/histories.ts.
import assert from 'node:assert/strict';
import { CHARGE_MOVES, type History, type Move, newHistory, withoutFault } from './histories.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from './orders.ts';
import type { Random } from './random.ts';
import type { Answer, Service } from './service.ts';

export type OrderHistory = History & { readonly driver: OrderDriver; readonly orders: string[] };

export function newOrderHistory(service: Service, accountId: string): OrderHistory {
  return { ...newHistory(service, accountId), driver: orderDriver(service, accountId), orders: [] };
}

/** The same history, told to another node. */
export function throughNode(state: OrderHistory, service: Service): OrderHistory {
  return { ...state, service, driver: orderDriver(service, state.accountId) };
}

/** Few networks, so that their weather matters to many orders. */
const ASSETS = [
  { symbol: 'usdt', network: 'polygon', currency: 'BRL' },
  { symbol: 'usdt', network: 'polygon', currency: 'USD' },
  { symbol: 'usdc', network: 'base', currency: 'BRL' },
  { symbol: 'trx', network: 'tron', currency: 'USD' },
] as const;
export const NETWORKS_USED = [...new Set(ASSETS.map(({ network }) => network))];

const SIZES = [{ cost: 541 }, { cost: 19.37 }, { cost: 100.01 }, { quantity: 12.5 }] as const;
const METHOD_CHOICES = [['pix'], ['pix'], ['pix'], ['boleto'], ['boleto', 'pix']] as const;
const SCHEDULES = ['D0', 'D0', 'D1', 'D2'] as const;
const PAID_CENTS = [undefined, undefined, undefined, undefined, 5_000, 100_000] as const;
const WEATHERS = ['silent', 'stalled', 'failing', 'failing'] as const;
const WAITS = ['PT1M', 'PT3M', 'PT10M', 'PT6H', 'P1D'] as const;
const REORGANISED = [1, 10, 70, 100] as const;

const post = async ({ service }: History, path: string, body: unknown = {}) =>
  withoutFault(await service.post(path, body));

function noteOrder(state: OrderHistory, { status, json, text }: Answer): void {
  assert.equal(status, 201, text);
  state.orders.push(json.transactionId);
  if (json.charge) state.charges.push(json.charge.id);
}

/** A move about one order; nothing happens while there is none. */
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

export async function clearWeather({ driver }: OrderHistory): Promise<void> {
  for (const network of NETWORKS_USED) await driver.weather(network, { weather: 'clear' });
}

const OWN_MOVES: readonly Move<OrderHistory>[] = [
  {
    name: 'order',
    weight: 6,
    run: async (state, random) => {
      const wanted = { ...random.pick(ASSETS), ...random.pick(SIZES) };
      const { network } = wanted;
      const quote = random.chance(0.3) ? withoutFault(await state.driver.quote(bare(wanted))).json : undefined;
      const walletId = await state.driver.wallet(network);
      const made = await state.service.post('/crypto/transactions', {
        accountId: state.accountId,
        walletId,
        settlementSchedule: random.pick(SCHEDULES),
        ...(quote ? { quoteId: quote.id } : wanted),
        ...(random.chance(0.9) && { charge: { ...CHARGE_PART, methods: random.pick(METHOD_CHOICES) } }),
      });
      noteOrder(state, made);
      // Most payers pay at once.
      if (made.json.charge && random.chance(0.8)) await payOrder(state, made.json.charge.id, random);
    },
  },
  onOrder('attach', 1, async (state, id) => {
    const { status, json } = await post(state, `/crypto/transactions/${id}/charge`, CHARGE_PART);
    if (status === 201) state.charges.push(json.charge.id);
  }),
  onOrder('cancel order', 1, (state, id) => post(state, `/crypto/transactions/${id}/cancel`)),
  onOrder('reprice', 3, (state, id) => post(state, `/crypto/transactions/${id}/reprice`)),
  onOrder('retry', 3, (state, id) => post(state, `/crypto/transactions/${id}/retry`)),
  {
    name: 'weather',
    weight: 3,
    run: async ({ driver }, random) =>
      void withoutFault(await driver.weather(random.pick(NETWORKS_USED), { weather: random.pick(WEATHERS) })),
  },
  { name: 'clear', weight: 3, run: state => clearWeather(state) },
  {
    name: 'reorganise',
    weight: 2,
    run: async ({ driver }, random) =>
      void withoutFault(await driver.weather(random.pick(NETWORKS_USED), { reorganise: random.pick(REORGANISED) })),
  },
  {
    name: 'wait',
    weight: 6,
    run: async (state, random) => {
      const moved = await post(state, '/sandbox/clock', { advance: random.pick(WAITS) });
      // Another node may be moving it.
      assert.ok(moved.status === 200 || moved.json.code === 'wrong_state', moved.text);
    },
  },
];

/** A quote has one size: the other of the driver's own is taken away. */
function bare(wanted: Record<string, unknown>): Record<string, unknown> {
  return 'quantity' in wanted ? { cost: undefined, ...wanted } : wanted;
}

function payOrder(state: OrderHistory, chargeId: string, random: Random): Promise<Answer> {
  const amountCents = random.pick(PAID_CENTS);
  return post(state, `/sandbox/charges/${chargeId}/pay`, {
    method: random.pick(['pix', 'pix', 'boleto']),
    ...(amountCents !== undefined && { amountCents }),
  });
}

/** Charges are moved as ever, but for the long waits: chains are looked at all that time. */
export const ORDER_MOVES: readonly Move<OrderHistory>[] = [
  ...CHARGE_MOVES.filter(({ name }) => name !== 'wait' && name !== 'make'),
  ...OWN_MOVES,
];
