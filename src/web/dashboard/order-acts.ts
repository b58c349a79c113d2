// Acts on an order: cancel it, take a new price, approve its payout, retry its transfer or give it up, settle it.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Chains } from '../../chains/chain.ts';
import { coinOf } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Order } from '../../orders/order.ts';
import { requireOrder } from '../../orders/show.ts';
import { html, type Piece } from '../html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { filled } from './form.ts';
import { cost, quantity } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { facts } from './parts.ts';

/** The acts after which a transfer is sent. */
const SENDING: readonly string[] = ['approve', 'retry'];

type OrderActDeps = ActDeps & { readonly chains: Chains };

export function orderActs(app: FastifyInstance, deps: OrderActDeps): void {
  /** The full address, network, amount and fee of the transfer. */
  async function ask(
    request: FastifyRequest,
    { id = '' }: Params,
    title: string,
    text: string,
    button: string,
    verb?: string,
  ) {
    const order = await requireOrder(deps.db, id.toLowerCase(), request.caller?.accountId);
    const shown: Piece = facts([
      ['Quantity', quantity(order.quantity, order.symbol)],
      ['Network', order.network],
      ['To', wholeAddress(deps, order.network, order.walletAddress)],
      ['Costs', cost(order.cost, order.currency)],
      ...(verb !== undefined && SENDING.includes(verb)
        ? [['Network fee', await feeOf(deps.chains, order)] as const]
        : []),
    ]);
    return { title, text: html`<p>${text}</p>${shown}`, button, back: `/dashboard/orders/${order.id}` };
  }

  function simple(verb: string, title: string, text: string, button: string): void {
    defineAct(app, deps, {
      url: `/orders/:id/${verb}`,
      section: 'orders',
      ask: (request, params) => ask(request, params, title, text, button, verb),
      call: (_, { id = '' }) => ({
        method: 'POST',
        url: `/crypto/transactions/${encodeURIComponent(id)}/${verb}`,
        body: {},
      }),
      done: (_, { id = '' }) => `/dashboard/orders/${id}`,
    });
  }

  simple('cancel', 'Cancel this order?', 'Its charge is canceled with it. Nothing was paid yet.', 'Cancel the order');
  simple(
    'retry',
    'Send the transfer again?',
    'The order waits for a new slot; its transfer is checked again before it is signed. This button only puts it in line.',
    'Retry the transfer',
  );
  simple(
    'void',
    'Give up the transfer?',
    'A transaction that moves nothing uses up its slot. If a block includes the transfer first, the order is fulfilled.',
    'Give up the transfer',
  );

  simple(
    'approve',
    'Approve this payout?',
    'You confirm that this amount may go to this address. The service sends it when its turn comes; this button sends nothing.',
    'Approve the payout',
  );

  defineAct(app, deps, {
    url: '/orders/:id/reprice',
    section: 'orders',
    ask: async (request, params) => ({
      ...(await ask(
        request,
        params,
        'Fulfil at a new price?',
        'The money received buys crypto at the new price, so the quantity changes. Pressing twice has one effect.',
        'Take the new price',
      )),
      fields: [
        {
          name: 'quoteId',
          label: 'Price',
          hint: 'The id of a price that you asked for, for exactly the money received. Left empty: the current price.',
        },
      ],
    }),
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/crypto/transactions/${encodeURIComponent(id)}/reprice`,
      body: filled(fields, ['quoteId']),
    }),
    done: (_, { id = '' }) => `/dashboard/orders/${id}`,
  });

  defineAct(app, deps, {
    url: '/orders/:id/settle',
    section: 'orders',
    ask: async (request, params) => ({
      ...(await ask(
        request,
        params,
        'Settle this transfer?',
        'Crypto has left the sender: another amount arrived than was sent, or a transaction outside the books paid the order. Nothing more is sent.',
        'Settle it',
      )),
      fields: [
        {
          name: 'as',
          label: 'Settle it as',
          type: 'select',
          options: [
            { value: 'delivered', label: 'delivered: what arrived counts as the full delivery' },
            { value: 'returned', label: 'returned: the payer gets the money back' },
            { value: 'paid', label: 'paid: by the transaction whose hash you name' },
          ],
        },
        { name: 'hash', label: 'Hash', hint: 'Of the transaction that paid it; only with paid.' },
      ],
    }),
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/crypto/transactions/${encodeURIComponent(id)}/settle`,
      body: filled(fields, ['as', 'hash']),
    }),
    done: (_, { id = '' }) => `/dashboard/orders/${id}`,
  });
}

/** The most that a transfer may cost at present fees; the sender pays it. */
async function feeOf(chains: Chains, { network, symbol }: Order): Promise<Piece> {
  const chain = chains[network];
  const funds = chain && (await chain.funds(chain.senders[0], symbol));
  if (!funds) return 'unknown: no node of the network answers now';
  const { symbol: coin, decimals } = coinOf(network);
  return html`at most ${quantity(formatUnits(funds.worstFee, decimals), coin)}, from the wallet that sends`;
}
