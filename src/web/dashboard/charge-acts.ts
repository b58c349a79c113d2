// What can be done with charges: make one, cancel it, record a payment, send money back.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Payment } from '../../charges/charge.ts';
import { excessCents } from '../../charges/life.ts';
import { requireCharge } from '../../charges/require.ts';
import { CURRENCIES } from '../../lib/currency.ts';
import { html } from '../html.ts';
import { type ActDeps, accountField, defineAct, type Field, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { type Fields, textField } from './form.ts';
import { facts, queryOf, reais } from './parts.ts';

const METHOD_CHOICES = [
  { value: 'pix', label: 'pix' },
  { value: 'boleto', label: 'boleto' },
  { value: 'boleto pix', label: 'boleto and pix' },
];

/** Fields of a payer, as the API names them. */
export const PAYER_FIELDS = [
  { name: 'name', label: 'Name of the payer', isRequired: true },
  { name: 'document', label: 'CPF or CNPJ', isRequired: true },
  { name: 'email', label: 'E-mail', hint: 'May be left out.' },
  { name: 'methods', label: 'Payable by', type: 'select', options: METHOD_CHOICES },
] as const;

export const ADDRESS_FIELDS = [
  { name: 'street', label: 'Street', hint: 'A boleto needs the address; pix does not.' },
  { name: 'city', label: 'City' },
  { name: 'state', label: 'State' },
  { name: 'postalCode', label: 'Postal code' },
] as const;

/** What was filled in; what was left empty is left out. */
export function filled(fields: Fields, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, textField(fields, name)]).filter(([, value]) => value !== ''));
}

/** Who works for one account is not asked for which. */
export function accountIn(fields: Fields, { caller }: FastifyRequest): { readonly accountId?: string } {
  const accountId = caller?.accountId ?? textField(fields, 'accountId');
  return accountId === '' ? {} : { accountId };
}

export function customerIn(fields: Fields) {
  const address = filled(fields, ['street', 'city', 'state', 'postalCode']);
  return {
    ...filled(fields, ['name', 'document', 'email']),
    ...(Object.keys(address).length > 0 && { address }),
  };
}

/** `159,90` and `159.90` as cents; what is no amount goes on as it is, so that the API names the fault. */
export function centsIn(text: string): number | string {
  const plain = text
    .replace(/\s|R\$/g, '')
    .replace(/\.(?=\d{3}(?:\D|$))/g, '')
    .replace(',', '.');
  return /^\d+(?:\.\d{1,2})?$/.test(plain) ? Math.round(Number(plain) * 100) : text;
}

function paymentField(payments: readonly Payment[]): Field {
  const options = payments.map(({ id, amountCents, reference }) => ({
    value: id,
    label: `${reais(amountCents)}, ${reference}`,
  }));
  return {
    name: 'paymentId',
    label: 'Of the payment',
    type: 'select',
    options: [{ value: '', label: 'the newest that holds enough' }, ...options],
  };
}

export function chargeActs(app: FastifyInstance, deps: ActDeps): void {
  const shown = async (request: FastifyRequest, { id = '' }: Params) => {
    const charge = await requireCharge(deps.db, id.toLowerCase(), request.caller?.accountId);
    return { charge, back: `/dashboard/charges/${charge.id}` };
  };

  defineAct(app, deps, {
    url: '/charges/new',
    scope: 'charges:write',
    section: 'charges',
    ask: async request => ({
      title: 'New charge',
      words: html`<p>The payer gets a code or a boleto; nothing is paid yet.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        { name: 'amount', label: 'Amount', isRequired: true, hint: 'Such as 159,90' },
        {
          name: 'currency',
          label: 'Currency',
          type: 'select',
          options: CURRENCIES.map(value => ({ value, label: value })),
        },
        ...PAYER_FIELDS,
        { name: 'dueDay', label: 'Due', type: 'date', isRequired: true },
        ...ADDRESS_FIELDS,
        {
          name: 'externalId',
          label: 'Your own id',
          hint: 'May be left out. The same id again finds the first charge.',
        },
        { name: 'description', label: 'Description', hint: 'Shown to the payer.' },
      ],
      button: 'Create the charge',
      back: '/dashboard/charges',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/charges',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['externalId', 'description', 'currency']),
        amountCents: centsIn(textField(fields, 'amount')),
        methods: textField(fields, 'methods').split(' '),
        customer: customerIn(fields),
        dueAt: `${textField(fields, 'dueDay')}T23:59:59-03:00`,
      },
    }),
    done: ({ id }) => `/dashboard/charges/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/cancel',
    scope: 'charges:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shown(request, params);
      return {
        title: 'Cancel this charge?',
        words: html`<p>Its code and boleto are withdrawn. Money that comes anyway is kept and shown.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
        ])}`,
        button: 'Cancel the charge',
        back,
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/charges/${encodeURIComponent(id)}/cancel`, body: {} }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/withdraw',
    scope: 'charges:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shown(request, params);
      return {
        title: 'Withdraw the link to the checkout?',
        words: html`<p>For a link that reached the wrong person: it opens nothing any more, and the charge has a new one. Codes that were
seen can still be paid; cancel the charge for that.</p>${facts([
          ['Amount', reais(charge.payableCents)],
          ['Payer', charge.customer.name],
        ])}`,
        button: 'Withdraw the link',
        back,
      };
    },
    call: (_, { id = '' }) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(id)}/checkout/withdraw`,
      body: {},
    }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/refund',
    scope: 'refunds:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shown(request, params);
      const paid = charge.payments.reduce((sum, payment) => sum + payment.amountCents, 0n);
      return {
        title: 'Send money back?',
        words: html`<p>The bank is asked to send it back to the payer. It cannot be taken back.</p>${facts([
          ['Paid', reais(paid)],
          ['Payer', charge.customer.name],
        ])}`,
        fields: [
          {
            name: 'amount',
            label: 'Amount',
            value: textOf(queryOf(request)['amount']),
            hint: 'Such as 20,00. Left empty: all that is left of the newest payment.',
          },
          ...(excessCents(charge) > 0n
            ? [{ name: 'excess', label: 'Only what was paid too much', type: 'checkbox' } as const]
            : []),
          ...(charge.payments.length > 1 ? [paymentField(charge.payments)] : []),
        ],
        button: 'Refund',
        back,
      };
    },
    call: (fields, { id = '' }) => {
      const amount = textField(fields, 'amount');
      const body = {
        ...(amount !== '' && { amountCents: centsIn(amount) }),
        ...(textField(fields, 'excess') === 'true' && { excess: true }),
        ...filled(fields, ['paymentId']),
      };
      return { method: 'POST', url: `/charges/${encodeURIComponent(id)}/refunds`, body };
    },
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });

  defineAct(app, deps, {
    url: '/charges/:id/record',
    scope: 'payments:write',
    section: 'charges',
    ask: async (request, params) => {
      const { charge, back } = await shown(request, params);
      const query = new URLSearchParams(request.url.split('?')[1] ?? '');
      return {
        title: 'Record a payment?',
        words: html`<p>For money that you see at your bank and that no bank reports. The reference counts once.</p>${facts(
          [
            ['Asked for', reais(charge.payableCents)],
            ['Payer', charge.customer.name],
          ],
        )}`,
        fields: [
          { name: 'amount', label: 'Amount', isRequired: true, value: query.get('amount') ?? '' },
          {
            name: 'reference',
            label: "The bank's id of the payment",
            isRequired: true,
            value: query.get('reference') ?? '',
          },
          { name: 'method', label: 'Paid by', type: 'select', options: METHOD_CHOICES.slice(0, 2) },
          {
            name: 'isAnother',
            label: 'It is not the payment of the same amount that the charge has already',
            type: 'checkbox',
          },
        ],
        button: 'Record the payment',
        back,
      };
    },
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/charges/${encodeURIComponent(id)}/payments`,
      body: {
        amountCents: centsIn(textField(fields, 'amount')),
        ...filled(fields, ['reference', 'method', 'paidAt']),
        ...(textField(fields, 'isAnother') === 'true' && { isAnother: true }),
      },
    }),
    done: (_, { id = '' }) => `/dashboard/charges/${id}`,
  });
}
