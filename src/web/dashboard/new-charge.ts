// The form that makes a charge. What most charges do without is in groups that are closed at first.
import type { FastifyInstance } from 'fastify';
import { CURRENCIES } from '../../lib/currency.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import { accountField } from './choices.ts';
import { centsIn, type Fields, filled, percentIn, textField } from './form.ts';
import { EXAMPLE_AMOUNT } from './formats.ts';
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

const late = { group: 'When it is paid late' };

const LATE_FIELDS: readonly Field[] = [
  { name: 'fine', label: 'Fine, in percent', hint: 'Once, from the first late day. Such as 2', ...late },
  { name: 'interest', label: 'Interest a month, in percent', hint: 'A thirtieth of it each late day.', ...late },
  { ...EXPIRE_FIELD, hint: 'The last day on which it can be paid. Left empty: 30 days after it is due.', ...late },
];

function taxesIn(fields: Fields) {
  const taxes = Object.entries(filled(fields, ['fine', 'interest'])).map(([name, text]) => [name, percentIn(text)]);
  return taxes.length > 0 && { taxes: Object.fromEntries(taxes) };
}

export function newChargeForm(app: FastifyInstance, deps: ActDeps): void {
  defineAct(app, deps, {
    url: '/charges/new',
    section: 'charges',
    ask: async request => ({
      title: 'New charge',
      text: html`<p>The payer gets a code or a boleto; nothing is paid yet.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        {
          name: 'amount',
          apiName: 'amountCents',
          label: 'Amount',
          isRequired: true,
          hint: `Such as ${EXAMPLE_AMOUNT}`,
        },
        {
          name: 'currency',
          label: 'Currency',
          type: 'select',
          options: CURRENCIES.map(value => ({ value, label: value })),
        },
        ...PAYER_FIELDS,
        { name: 'dueDay', apiName: 'dueAt', label: 'Due', type: 'date', isRequired: true },
        {
          name: 'externalId',
          label: 'Your own id',
          hint: 'May be left out. The same id again finds the first charge.',
        },
        DESCRIPTION_FIELD,
        ...MORE_PAYER_FIELDS,
        ...LATE_FIELDS,
        ...noteFields('Notes of your own'),
      ],
      button: 'Create the charge',
      back: '/dashboard/charges',
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/charges',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['externalId', 'currency']),
        ...notesIn(fields),
        amountCents: centsIn(textField(fields, 'amount')),
        methods: textField(fields, 'methods').split(' '),
        customer: customerIn(fields),
        ...taxesIn(fields),
        ...daysIn(fields),
      },
    }),
    done: ({ id }) => `/dashboard/charges/${textOf(id)}`,
  });
}
