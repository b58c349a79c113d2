// What can be done with orders: make one, cancel it, take a new price, send its transfer again or give it up.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Scope } from '../../accounts/scopes.ts';
import { NETWORKS, SYMBOLS } from '../../chains/asset.ts';
import { CURRENCIES } from '../../lib/currency.ts';
import { SETTLEMENT_SCHEDULES } from '../../orders/order.ts';
import { requireOrder } from '../../orders/show.ts';
import { listWallets } from '../../wallets/list.ts';
import { html, type Piece } from '../html.ts';
import { type ActDeps, accountField, defineAct, type Option, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { ADDRESS_FIELDS, accountIn, customerIn, filled, PAYER_FIELDS } from './charge-acts.ts';
import { textField } from './form.ts';
import { facts } from './parts.ts';

const MAX_SUGGESTED = 100;
const choices = (values: readonly string[]) => values.map(value => ({ value, label: value }));

export function orderActs(app: FastifyInstance, deps: ActDeps): void {
  /** The whole address, network and amount, as it will happen. */
  async function ask(request: FastifyRequest, { id = '' }: Params, title: string, words: string, button: string) {
    const order = await requireOrder(deps.db, id.toLowerCase(), request.caller?.accountId);
    const shown: Piece = facts([
      ['Quantity', `${order.quantity} ${order.symbol.toUpperCase()}`],
      ['Network', order.network],
      ['To', html`<code class="long">${order.walletAddress}</code>`],
      ['Costs', `${order.cost} ${order.currency}`],
    ]);
    return { title, words: html`<p>${words}</p>${shown}`, button, back: `/dashboard/orders/${order.id}` };
  }

  async function walletChoices({ caller }: FastifyRequest): Promise<readonly Option[]> {
    const accountId = caller?.accountId;
    const { wallets } = await listWallets(deps, {
      page: 1,
      pageSize: MAX_SUGGESTED,
      ...(accountId !== undefined && { accountId }),
    });
    return wallets.map(wallet => ({
      value: wallet.id,
      label: `${wallet.name} of ${wallet.accountId} on ${wallet.network}, ${wallet.address}`,
    }));
  }

  function simple(verb: string, scope: Scope, title: string, words: string, button: string): void {
    defineAct(app, deps, {
      url: `/orders/:id/${verb}`,
      scope,
      section: 'orders',
      ask: (request, params) => ask(request, params, title, words, button),
      call: (_, { id = '' }) => ({
        method: 'POST',
        url: `/crypto/transactions/${encodeURIComponent(id)}/${verb}`,
        body: {},
      }),
      done: (_, { id = '' }) => `/dashboard/orders/${id}`,
    });
  }

  simple(
    'cancel',
    'transactions:write',
    'Cancel this order?',
    'Its charge is canceled with it. Nothing was paid yet.',
    'Cancel the order',
  );
  simple(
    'reprice',
    'transactions:write',
    'Fulfil at a new price?',
    'All money that was kept buys crypto at the price of now, so the quantity changes. Of several presses one counts.',
    'Take the new price',
  );
  simple(
    'retry',
    'transfers:write',
    'Send the transfer again?',
    'The order waits for a slot of its own; its transfer is checked again before it is signed. This button only puts it in line.',
    'Retry the transfer',
  );
  simple(
    'void',
    'transfers:write',
    'Give up the transfer?',
    'A transaction that moves nothing uses its slot up. If a block takes the transfer first, the order is fulfilled.',
    'Give up the transfer',
  );

  simple(
    'approve',
    'payouts:approve',
    'Approve this payout?',
    'You say that this much may go to this address. The service sends it when its turn comes; this button sends nothing.',
    'Approve the payout',
  );

  defineAct(app, deps, {
    url: '/orders/:id/settle',
    scope: 'transfers:write',
    section: 'orders',
    ask: async (request, params) => ({
      ...(await ask(
        request,
        params,
        'Settle this transfer?',
        'Crypto has left, and another amount arrived than was sent. Nothing is sent again.',
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
          ],
        },
      ],
    }),
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/crypto/transactions/${encodeURIComponent(id)}/settle`,
      body: filled(fields, ['as']),
    }),
    done: (_, { id = '' }) => `/dashboard/orders/${id}`,
  });

  defineAct(app, deps, {
    url: '/orders/new',
    scope: 'transactions:write',
    section: 'orders',
    ask: async request => ({
      title: 'New order',
      words: html`<p>The payer gets a charge; crypto leaves after it is paid, on its settlement day. The price of now holds for five
minutes.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        { name: 'symbol', label: 'Asset', type: 'select', options: choices(SYMBOLS) },
        { name: 'network', label: 'Network', type: 'select', options: choices(NETWORKS) },
        { name: 'currency', label: 'Paid in', type: 'select', options: choices(CURRENCIES) },
        { name: 'cost', label: 'Costs in all', isRequired: true, hint: 'Such as 500.00, fee included.' },
        {
          name: 'walletId',
          label: 'Wallet',
          isRequired: true,
          hint: 'The id of a wallet of the account on this network.',
          options: await walletChoices(request),
        },
        { name: 'settlementSchedule', label: 'Settles', type: 'select', options: choices(SETTLEMENT_SCHEDULES) },
        ...PAYER_FIELDS,
        ...ADDRESS_FIELDS,
        { name: 'externalId', label: 'Your own id', hint: 'May be left out. The same id again finds the first order.' },
      ],
      button: 'Create the order',
      back: '/dashboard/orders',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/crypto/transactions',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['symbol', 'network', 'currency', 'walletId', 'settlementSchedule', 'externalId']),
        cost: textField(fields, 'cost').replace(',', '.'),
        charge: { customer: customerIn(fields), methods: textField(fields, 'methods').split(' ') },
      },
    }),
    done: ({ transactionId }) => `/dashboard/orders/${textOf(transactionId)}`,
  });
}
