// Acts on mandates: create, cancel, collect a charge, cancel a collection.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { MAX_SHOWN_LENGTH } from '../../api/mandates.ts';
import { JOURNEYS, type Journey } from '../../billing/mandates/mandate.ts';
import { requireCollection, requireMandate } from '../../billing/mandates/require.ts';
import { RECURRENCE_PERIODS } from '../../rails/automatic.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { customerFields, customerOf } from './customer-field.ts';
import { centsIn, type Fields, filled, minuteIn, textField } from './form.ts';
import { day, EXAMPLE_AMOUNT, reais } from './formats.ts';
import { facts } from './parts.ts';
import { DESCRIPTION_FIELD } from './payer-fields.ts';

export const JOURNEY_NAMES: Readonly<Record<Journey, string>> = {
  1: 'in their bank',
  2: 'by a code',
  3: 'by the code of a charge that they pay at once',
  4: 'by the code of a charge with a due day',
};

const asked = { group: 'Asked in their bank' };

const FIELDS: readonly Field[] = [
  {
    ...{ name: 'journey', label: 'The payer is asked', type: 'select', value: '2' },
    options: JOURNEYS.map(journey => ({ value: String(journey), label: JOURNEY_NAMES[journey] })),
  },
  { name: 'chargeId', label: 'Charge of the code', hint: 'Its id, where the payer is asked by the code of a charge.' },
  {
    ...{ name: 'period', label: 'Period', type: 'select', value: 'MONTHLY', hint: 'One collection in each.' },
    options: RECURRENCE_PERIODS.map(value => ({ value, label: value.toLowerCase() })),
  },
  {
    ...{ name: 'firstDay', label: 'First day', type: 'date', isRequired: true },
    hint: 'The first day on which a collection may be due, after today.',
  },
  { name: 'lastDay', label: 'Last day', type: 'date', hint: 'Left empty: without an end.' },
  {
    ...{ name: 'amount', apiName: 'amountCents', label: 'Amount of every collection' },
    hint: `Such as ${EXAMPLE_AMOUNT}. Left empty: each has its own.`,
  },
  {
    ...{ name: 'minimum', apiName: 'minimumCents', label: 'Lowest limit' },
    hint: 'Instead of an amount: a limit that the payer sets must not be below it.',
  },
  { name: 'retries', label: 'Without money, try three more times within seven days', type: 'checkbox' },
  {
    ...{ name: 'contract', label: 'Contract', maxLength: MAX_SHOWN_LENGTH },
    hint: 'The number that the payer sees. Left empty: its id.',
  },
  { ...DESCRIPTION_FIELD, maxLength: MAX_SHOWN_LENGTH },
  { name: 'externalId', label: 'Your own id', hint: 'Optional. The same id again returns the first mandate.' },
  { name: 'ispb', apiName: 'payerAccount', label: 'ISPB of the bank', hint: 'Eight characters.', ...asked },
  { name: 'branch', label: 'Branch', ...asked },
  { name: 'account', label: 'Account number', hint: 'With its check digit, digits only.', ...asked },
  { name: 'until', label: 'The payer may answer until', type: 'datetime-local', ...asked },
];

export function mandateActs(app: FastifyInstance, deps: ActDeps): void {
  const section = 'mandates';
  const pageOf = ({ id = '' }: Params) => `/dashboard/mandates/${id}`;
  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireMandate(deps.db, id.toLowerCase(), caller?.accountId);

  defineAct(app, deps, {
    url: '/mandates/new',
    section,
    ask: async request => {
      const customer = await customerOf(deps, request);
      return {
        title: 'New mandate',
        text: html`<p>Asks a payer to approve that their bank pays what you ask for, by Pix Automático.</p>${customer && html`<p>It is for <a href="/dashboard/customers/${customer.id}">${customer.name}</a>.</p>`}`,
        fields: [...(await customerFields(deps, request, customer)), ...FIELDS],
        button: 'Create the mandate',
        back: customer ? `/dashboard/customers/${customer.id}` : '/dashboard/mandates',
      };
    },
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/mandates',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['customerId', 'externalId', 'contract', 'description', 'period', 'firstDay', 'lastDay']),
        ...filled(fields, ['chargeId']),
        ...centsOf(fields),
        ...payerAccountIn(fields),
        journey: Number(textField(fields, 'journey')),
        retries: textField(fields, 'retries') === 'true',
      },
    }),
    done: ({ id }) => `/dashboard/mandates/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/mandates/:id/cancel',
    section,
    ask: async (request, params) => {
      const { contract, description } = await read(request, params);
      return {
        title: 'Cancel this mandate?',
        text: html`<p>It ends at the PSP, with its open collections; their charges stay payable. The payer would have to approve a new one.</p>${facts(
          [
            ['Contract', html`<code>${contract}</code>`],
            ['Description', description],
          ],
        )}`,
        button: 'Cancel the mandate',
        back: pageOf(params),
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/mandates/${encodeURIComponent(id)}/cancel`, body: {} }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/mandates/:id/collect',
    section,
    ask: async (request, params) => {
      const { contract, description, amountCents } = await read(request, params);
      return {
        title: 'Collect a charge?',
        text: html`<p>The payer's bank pays it on its due day. It stays payable by its own code.</p>${facts([
          ['Contract', html`<code>${contract}</code>`],
          ['Description', description],
          ['Amount', amountCents !== undefined && reais(amountCents)],
        ])}`,
        fields: [
          {
            ...{ name: 'chargeId', label: 'Charge', isRequired: true },
            hint: 'The id of a charge that can be paid by pix at the same PSP.',
          },
        ],
        button: 'Collect the charge',
        back: pageOf(params),
      };
    },
    call: (fields, { id = '' }) => ({
      method: 'POST',
      url: `/mandates/${encodeURIComponent(id)}/collections`,
      body: filled(fields, ['chargeId']),
    }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/collections/:id/cancel',
    section,
    ask: async ({ caller }, { id = '' }) => {
      const { mandateId, amountCents, dueDay } = await requireCollection(deps.db, id.toLowerCase(), caller?.accountId);
      return {
        title: 'Cancel this collection?',
        text: html`<p>The payer's bank does not pay the charge by itself. It stays payable by its own code.</p>${facts([
          ['Amount', reais(amountCents)],
          ['Due', day(dueDay)],
        ])}`,
        button: 'Cancel the collection',
        back: `/dashboard/mandates/${mandateId}`,
      };
    },
    call: (_, { id = '' }) => ({ method: 'POST', url: `/collections/${encodeURIComponent(id)}/cancel`, body: {} }),
    done: ({ mandateId }) => `/dashboard/mandates/${textOf(mandateId)}`,
  });
}

function centsOf(fields: Fields) {
  const { amount, minimum } = filled(fields, ['amount', 'minimum']);
  return {
    ...(amount !== undefined && { amountCents: centsIn(amount) }),
    ...(minimum !== undefined && { minimumCents: centsIn(minimum) }),
  };
}

function payerAccountIn(fields: Fields) {
  const until = minuteIn(fields, 'until');
  const payerAccount = { ...filled(fields, ['ispb', 'branch', 'account']), ...(until !== undefined && { until }) };
  return Object.keys(payerAccount).length > 0 && { payerAccount };
}
