// Forms for a price, for an order, and for the payer of an order.
import type { FastifyInstance } from 'fastify';
import { NETWORKS, SYMBOLS } from '../../chains/asset.ts';
import { CURRENCIES } from '../../lib/currency.ts';
import { SETTLEMENT_SCHEDULES } from '../../orders/order.ts';
import { requireOrder } from '../../orders/show.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field } from './act.ts';
import { isRecord, textOf } from './api-call.ts';
import { accountField, walletField } from './choices.ts';
import { centsIn, type Fields, filled, textField } from './form.ts';
import { cost, price, quantity, when } from './formats.ts';
import { wholeAddress } from './on-chain.ts';
import { facts, queryOf } from './parts.ts';
import {
  customerIn,
  DESCRIPTION_FIELD,
  daysIn,
  EXPIRE_FIELD,
  MORE_PAYER_FIELDS,
  noteFields,
  notesIn,
  PAYER_FIELDS,
} from './payer-fields.ts';

const choices = (values: readonly string[]) => values.map(value => ({ value, label: value }));

const PRICE_FIELDS: readonly Field[] = [
  { name: 'symbol', label: 'Asset', type: 'select', options: choices(SYMBOLS) },
  { name: 'network', label: 'Network', type: 'select', options: choices(NETWORKS) },
  { name: 'currency', label: 'Paid in', type: 'select', options: choices(CURRENCIES) },
  { name: 'cost', label: 'Total cost', hint: 'Such as 500.00, fee included. Either this or the quantity.' },
  { name: 'quantity', label: 'Quantity', hint: 'Units of the asset, such as 0.5.' },
];

/** The fields for the API. A cost is money as people type it; a decimal comma in a quantity becomes a point. */
function priceIn(fields: Fields): Readonly<Record<string, string>> {
  const { cost: typed, quantity: units } = filled(fields, ['cost', 'quantity']);
  return {
    ...filled(fields, ['symbol', 'network', 'currency']),
    ...(typed !== undefined && { cost: costIn(typed) }),
    ...(units !== undefined && { quantity: units.replace(',', '.') }),
  };
}

function costIn(text: string): string {
  const cents = centsIn(text);
  return typeof cents === 'number' ? (cents / 100).toFixed(2) : text.replace(',', '.');
}

const charge = { group: 'About the charge' };

const CHARGE_FIELDS: readonly Field[] = [
  { ...DESCRIPTION_FIELD, ...charge },
  {
    name: 'dueDay',
    apiName: 'dueAt',
    label: 'Due',
    type: 'date',
    hint: 'Left empty: when the price ends, for a boleto on the third day.',
    ...charge,
  },
  { ...EXPIRE_FIELD, hint: 'Left empty: when it is due.', ...charge },
  ...noteFields(charge.group),
];

/** The charge of an order: who pays, and what is noted on it. */
function chargeIn(fields: Fields, externalIdName: string) {
  const externalId = textField(fields, externalIdName);
  return {
    customer: customerIn(fields),
    methods: textField(fields, 'methods').split(' '),
    ...(externalId !== '' && { externalId }),
    ...notesIn(fields),
    ...daysIn(fields),
  };
}

export function orderForms(app: FastifyInstance, deps: ActDeps): void {
  defineAct(app, deps, {
    url: '/orders/quote',
    section: 'orders',
    ask: async request => ({
      title: 'Ask for a price',
      text: html`<p>The price holds for five minutes. This orders nothing.</p>`,
      fields: [
        ...PRICE_FIELDS,
        ...(await accountField(deps, request, {
          emptyLabel: 'any',
          hint: 'Only this account may order at this price.',
        })),
      ],
      button: 'Ask for the price',
      back: '/dashboard/orders',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/crypto/quotes',
      body: { ...priceIn(fields), ...accountIn(fields, request) },
    }),
    done: quote => {
      const { exact, id, symbol, network, currency, expiresAt } = quote;
      const amounts = isRecord(exact) ? exact : {};
      const money = textOf(currency);
      return {
        title: 'The price',
        shown: html`<section class="card">${facts([
          ['Quantity', [quantity(textOf(amounts['quantity']), textOf(symbol)), ` on ${textOf(network)}`]],
          ['Total cost', cost(textOf(amounts['cost']), money)],
          ['Fee included', cost(textOf(amounts['fee']), money)],
          ['Price per unit', price(textOf(amounts['price']), money)],
          ['Valid until', when(textOf(expiresAt))],
          ['Id', html`<code>${textOf(id)}</code>`],
        ])}<p class="acts"><a class="button" href="/dashboard/orders/new?quoteId=${textOf(id)}">Order at this price</a> <a class="button secondary" href="/dashboard/orders">Back</a></p></section>`,
      };
    },
  });

  defineAct(app, deps, {
    url: '/orders/new',
    section: 'orders',
    ask: async request => {
      const quoteId = textOf(queryOf(request)['quoteId']);
      return {
        title: 'New order',
        text: html`<p>The payer gets a charge; crypto leaves after it is paid, on its settlement day. ${quoteId === '' ? 'The current price holds for five minutes.' : 'The price that you asked for holds until its five minutes are over.'}</p>`,
        fields: [
          ...(await accountField(deps, request)),
          ...(quoteId === '' ? PRICE_FIELDS : [{ name: 'quoteId', label: 'Price', isRequired: true, value: quoteId }]),
          await walletField(deps, request),
          { name: 'settlementSchedule', label: 'Settles', type: 'select', options: choices(SETTLEMENT_SCHEDULES) },
          {
            name: 'payer',
            label: 'Name the payer later',
            type: 'checkbox',
            hint: 'On the page of the order, while the price holds.',
          },
          ...PAYER_FIELDS.map(field => ({ ...field, isRequired: false })),
          {
            name: 'externalId',
            label: 'Your own id',
            hint: 'Optional. The same id again returns the first order.',
          },
          ...MORE_PAYER_FIELDS,
          ...CHARGE_FIELDS,
          {
            name: 'chargeExternalId',
            apiName: 'charge.externalId',
            label: 'Your own id for the charge',
            ...charge,
          },
        ],
        button: 'Create the order',
        back: '/dashboard/orders',
      };
    },
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/crypto/transactions',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['quoteId', 'walletId', 'settlementSchedule', 'externalId']),
        ...priceIn(fields),
        ...(textField(fields, 'payer') !== 'true' && { charge: chargeIn(fields, 'chargeExternalId') }),
      },
    }),
    done: ({ transactionId }) => `/dashboard/orders/${textOf(transactionId)}`,
  });

  defineAct(app, deps, {
    url: '/orders/:id/charge',
    section: 'orders',
    ask: async ({ caller }, { id = '' }) => {
      const order = await requireOrder(deps.db, id.toLowerCase(), caller?.accountId);
      return {
        title: 'Who pays for this order?',
        text: html`<p>They get a charge for the cost of the order. It can be added while the price holds.</p>${facts([
          ['Quantity', quantity(order.quantity, order.symbol)],
          ['Costs', cost(order.cost, order.currency)],
          ['To', wholeAddress(deps, order.network, order.walletAddress)],
        ])}`,
        fields: [
          ...PAYER_FIELDS,
          ...MORE_PAYER_FIELDS,
          ...CHARGE_FIELDS,
          { name: 'externalId', label: 'Your own id for the charge', ...charge },
        ],
        button: 'Add the charge',
        back: `/dashboard/orders/${order.id}`,
      };
    },
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/crypto/transactions/${encodeURIComponent(id)}/charge`,
      body: chargeIn(fields, 'externalId'),
    }),
    done: (_, { id = '' }) => `/dashboard/orders/${id}`,
  });
}
