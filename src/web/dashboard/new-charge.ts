// The form that creates a charge. Fields that most charges do not need are in groups that are closed at first.
import type { FastifyInstance } from 'fastify';
import { CURRENCIES } from '../../lib/currency.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import { accountField } from './choices.ts';
import { customerOf, fieldsOfCustomer } from './customer-field.ts';
import { centsIn, type Fields, filled, percentIn, textField } from './form.ts';
import { EXAMPLE_AMOUNT } from './formats.ts';
import {
  customerIn,
  DESCRIPTION_FIELD,
  daysIn,
  EXPIRE_FIELD,
  METHODS_FIELD,
  MORE_PAYER_FIELDS,
  noteFields,
  notesIn,
  PAYER_FIELDS,
} from './payer-fields.ts';
import { EARLY_FIELDS, reductionsIn } from './reductions.ts';

export const CURRENCY_FIELD: Field = {
  name: 'currency',
  label: 'Currency',
  type: 'select',
  options: CURRENCIES.map(value => ({ value, label: value })),
};

const late = { group: 'When it is paid late' };

export const TAX_FIELDS: readonly Field[] = [
  { name: 'fine', label: 'Fine, in percent', hint: 'Charged once, from the first late day. Such as 2', ...late },
  { name: 'interest', label: 'Interest a month, in percent', hint: 'Charged by the day, a thirtieth each.', ...late },
];

const LATE_FIELDS: readonly Field[] = [
  ...TAX_FIELDS,
  { ...EXPIRE_FIELD, hint: 'The last day on which it can be paid. Left empty: 30 days after it is due.', ...late },
];

export function taxesIn(fields: Fields) {
  const taxes = Object.entries(filled(fields, ['fine', 'interest'])).map(([name, text]) => [name, percentIn(text)]);
  return taxes.length > 0 && { taxes: Object.fromEntries(taxes) };
}

function payerIn(fields: Fields) {
  const customerId = textField(fields, 'customerId');
  return customerId === '' ? { customer: customerIn(fields) } : { customerId };
}

export function newChargeForm(app: FastifyInstance, deps: ActDeps): void {
  defineAct(app, deps, {
    url: '/charges/new',
    section: 'charges',
    ask: async request => {
      const customer = await customerOf(deps, request);
      return {
        title: 'New charge',
        text: html`<p>The payer gets a code or a boleto; nothing is paid yet.</p>${customer && html`<p>It is for <a href="/dashboard/customers/${customer.id}">${customer.name}</a>, with their present data.</p>`}`,
        fields: [
          ...(customer ? fieldsOfCustomer(customer) : await accountField(deps, request)),
          {
            name: 'amount',
            apiName: 'amountCents',
            label: 'Amount',
            isRequired: true,
            hint: `Such as ${EXAMPLE_AMOUNT}`,
          },
          CURRENCY_FIELD,
          ...(customer ? [METHODS_FIELD] : PAYER_FIELDS),
          { name: 'dueDay', apiName: 'dueAt', label: 'Due', type: 'date', isRequired: true },
          {
            name: 'externalId',
            label: 'Your own id',
            hint: 'Optional. The same id again returns the first charge.',
          },
          DESCRIPTION_FIELD,
          ...(customer ? [] : MORE_PAYER_FIELDS),
          ...EARLY_FIELDS,
          ...LATE_FIELDS,
          ...noteFields('Notes of your own'),
        ],
        button: 'Create the charge',
        back: customer ? `/dashboard/customers/${customer.id}` : '/dashboard/charges',
      };
    },
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/charges',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['externalId', 'currency']),
        ...notesIn(fields),
        amountCents: centsIn(textField(fields, 'amount')),
        methods: textField(fields, 'methods').split(' '),
        ...payerIn(fields),
        ...taxesIn(fields),
        ...reductionsIn(fields),
        ...daysIn(fields),
      },
    }),
    done: ({ id }) => `/dashboard/charges/${textOf(id)}`,
  });
}
