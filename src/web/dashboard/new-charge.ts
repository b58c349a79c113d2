// The form that makes a charge.
import type { FastifyInstance } from 'fastify';
import { CURRENCIES } from '../../lib/currency.ts';
import { html } from '../html.ts';
import { type ActDeps, accountField, accountIn, defineAct } from './act.ts';
import { textOf } from './api-call.ts';
import { centsIn, filled, textField } from './form.ts';
import { ADDRESS_FIELDS, customerIn, PAYER_FIELDS } from './payer-fields.ts';

export function newChargeForm(app: FastifyInstance, deps: ActDeps): void {
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
}
