// What can be done with an order: cancel it, take a new price, approve its payout, send its transfer again or give it up.
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
  /** The whole address, network, amount and fee, as it will happen. */
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
    'The order waits for a slot of its own; its transfer is checked again before it is signed. This button only puts it in line.',
    'Retry the transfer',
  );
  simple(
    'void',
    'Give up the transfer?',
    'A transaction that moves nothing uses its slot up. If a block takes the transfer first, the order is fulfilled.',
    'Give up the transfer',
  );

  simple(
    'approve',
    'Approve this payout?',
    'You say that this much may go to this address. The service sends it when its turn comes; this button sends nothing.',
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
        'All money that was kept buys crypto at the new price, so the quantity changes. Of several presses one counts.',
        'Take the new price',
      )),
      fields: [
        {
          name: 'quoteId',
          label: 'Price',
          hint: 'The id of a price that you asked for, of exactly the money received. Left empty: the price of now.',
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
        'Crypto has left: another amount arrived than was sent, or the chain has paid the order and the books do not know of it. Nothing is sent again.',
        'Settle it',
      )),
      fields: [
        {
          name: 'as',
          label: 'Settle it as',
          type: 'select',
          options: [
            { value: 'delivered', label: 'delivered: what arrived is taken as the whole' },
            { value: 'returned', label: 'returned: the payer gets the money back' },
            { value: 'paid', label: 'paid: by the transaction whose hash you name' },
          ],
        },
        { name: 'hash', label: 'Hash', hint: 'Of the transaction that has paid it, and only with paid.' },
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

/** The most that a transfer may cost at the fees of now; the sender pays it. */
async function feeOf(chains: Chains, { network, symbol }: Order): Promise<Piece> {
  const chain = chains[network];
  const funds = chain && (await chain.funds(chain.senders[0], symbol));
  if (!funds) return 'not known: no node of the network answers now';
  const { symbol: coin, decimals } = coinOf(network);
  return html`at most ${quantity(formatUnits(funds.worstFee, decimals), coin)}, from the wallet that sends`;
}
