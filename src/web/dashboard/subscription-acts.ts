// Acts on subscriptions: create, change, pause, resume, cancel, forgive a cycle, withdraw the link to their page.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { requireCustomer } from '../../billing/customers/require.ts';
import { requireSubscription } from '../../billing/subscriptions/require.ts';
import type { Subscription } from '../../billing/subscriptions/subscription.ts';
import type { Links } from '../../charges/links/links.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field, type Params } from './act.ts';
import { textOf } from './api-call.ts';
import { planField, walletField } from './choices.ts';
import { customerFields, customerOf } from './customer-field.ts';
import { centsIn, type Fields, filled, linesIn, metadataText, numbersIn, textField, textsIn } from './form.ts';
import { fieldAmount } from './formats.ts';
import { linkField, linkIn } from './link-field.ts';
import { facts } from './parts.ts';
import { DESCRIPTION_FIELD, METADATA_FIELD, METHODS_FIELD, methodsText } from './payer-fields.ts';

const AMOUNT: Field = { name: 'amount', apiName: 'amountCents', label: 'Amount of a cycle' };
const DAY: Field = {
  name: 'day',
  label: 'Day',
  hint: 'Of the month, 31 for the last; or of the week, from 1 (Monday).',
};
const CYCLES: Field = { name: 'cycles', label: 'Cycles' };
const AUTOMATIC = {
  ...{ name: 'automatic', label: 'Collect by a mandate, where the customer has one', type: 'select' },
  options: [
    { value: 'false', label: 'no' },
    { value: 'true', label: 'yes' },
  ],
} as const satisfies Field;
const NOTES: readonly Field[] = [
  { name: 'externalId', label: 'Your own id', hint: 'Optional. The same id again returns the first subscription.' },
  { ...METADATA_FIELD, group: 'Notes of your own' },
];

const hint = 'Left empty: as the plan.';

/** A new subscription has the terms of its plan where nothing else is given. */
const NEW_TERMS: readonly Field[] = [
  { name: 'trialDays', label: 'Days of the trial', hint },
  { ...AMOUNT, hint },
  { ...DAY, hint: `${DAY.hint} ${hint}` },
  { ...CYCLES, hint },
  { ...METHODS_FIELD, options: [{ value: '', label: 'as the plan' }, ...METHODS_FIELD.options] },
  { ...AUTOMATIC, options: [{ value: '', label: 'as the plan' }, ...AUTOMATIC.options] },
  { ...DESCRIPTION_FIELD, hint: `Shown to the payer. ${hint}` },
];

/** An existing one has all of them. */
const PRESENT_TERMS: readonly Field[] = [
  { ...AMOUNT, isRequired: true },
  { ...DAY, isRequired: true },
  { ...CYCLES, hint: 'Left empty: without an end.' },
  METHODS_FIELD,
  AUTOMATIC,
  { ...DESCRIPTION_FIELD, isRequired: true },
];

export function subscriptionActs(app: FastifyInstance, deps: ActDeps & { readonly links: Links }): void {
  const section = 'subscriptions';
  const pageOf = ({ id = '' }: Params) => `/dashboard/subscriptions/${id}`;
  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireSubscription(deps.db, id.toLowerCase(), caller?.accountId);
  /** Which subscription it is. */
  const factsOf = async (request: FastifyRequest, params: Params) => {
    const { description, customerId, accountId } = await read(request, params);
    const customer = await requireCustomer(deps.db, customerId, accountId);
    return facts([
      ['Subscription', description],
      ['Customer', customer.name],
      ['Account', accountId],
    ]);
  };
  const callOf = (verb: string, { id = '' }: Params, body: object = {}) =>
    ({ method: 'POST', url: `/subscriptions/${encodeURIComponent(id)}/${verb}`, body }) as const;

  defineAct(app, deps, {
    url: '/subscriptions/new',
    section,
    ask: async request => {
      const customer = await customerOf(deps, request);
      return {
        title: 'New subscription',
        text: html`<p>Charges a customer by a plan, cycle after cycle.</p>${customer && html`<p>It is for <a href="/dashboard/customers/${customer.id}">${customer.name}</a>.</p>`}`,
        fields: [
          ...(await customerFields(deps, request, customer)),
          await planField(deps, customer?.accountId ?? request.caller?.accountId),
          { name: 'startDay', label: 'From', type: 'date', hint: 'Left empty: today, or the end of the trial.' },
          ...NEW_TERMS,
          await walletField(deps, request, { isRequired: false }),
          ...NOTES,
        ],
        button: 'Create the subscription',
        back: customer ? `/dashboard/customers/${customer.id}` : '/dashboard/subscriptions',
      };
    },
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/subscriptions',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['customerId', 'startDay']),
        ...numbersIn(fields, ['trialDays']),
        ...termsIn(fields),
      },
    }),
    done: ({ id }) => `/dashboard/subscriptions/${textOf(id)}`,
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/change',
    section,
    ask: async (request, params) => {
      const before = await read(request, params);
      const values = valuesOf(before);
      return {
        title: 'Change the subscription',
        text: html`<p>From the next cycle on; existing charges stay. Another plan brings its own terms, except for those that are changed here.</p>`,
        fields: [
          await planField(deps, before.accountId, before.planId),
          ...[
            ...PRESENT_TERMS,
            ...(before.walletId === undefined ? [] : [await walletField(deps, request)]),
            ...NOTES,
          ].map(field => ({ ...field, value: values[field.name] ?? '' })),
        ],
        button: 'Change the subscription',
        back: pageOf(params),
      };
    },
    call: async (fields, params, request) => {
      const values = valuesOf(await read(request, params));
      // Only what was changed is sent: what is named goes before the terms of another plan.
      const touched = new URLSearchParams(
        [...fields.keys()]
          .filter(name => linesIn(fields, name) !== (values[name] ?? ''))
          .map((name): [string, string] => [name, textField(fields, name)]),
      );
      // Where a value is needed, the API refuses null.
      const emptied = EMPTIED.filter(([name]) => touched.get(name) === '').map(([, apiName]) => [apiName, null]);
      return {
        method: 'PATCH',
        url: `/subscriptions/${encodeURIComponent(params['id'] ?? '')}`,
        body: { ...termsIn(touched), ...Object.fromEntries(emptied) },
      };
    },
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/pause',
    section,
    ask: async (request, params) => ({
      title: 'Pause this subscription?',
      text: html`<p>No cycle is charged until it is resumed. The charge of a cycle whose day has not come is withdrawn; the others stay owed.</p>${await factsOf(request, params)}`,
      button: 'Pause the subscription',
      back: pageOf(params),
    }),
    call: (_, params) => callOf('pause', params),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/resume',
    section,
    ask: async (request, params) => ({
      title: 'Resume this subscription?',
      text: html`<p>It goes on with the next of its days. Those that passed while it was paused are not charged.</p>${await factsOf(request, params)}`,
      button: 'Resume the subscription',
      back: pageOf(params),
    }),
    call: (_, params) => callOf('resume', params),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/cancel',
    section,
    ask: async (request, params) => ({
      title: 'Cancel this subscription?',
      text: html`<p>Charges of cycles whose day has not come are withdrawn.</p>${await factsOf(request, params)}`,
      fields: [
        {
          name: 'at',
          label: 'When',
          type: 'select',
          options: [
            { value: 'period_end', label: 'at the end of what is paid for' },
            { value: 'now', label: 'now' },
          ],
        },
        { name: 'forgive', label: 'Withdraw the charges that are owed too (only now)', type: 'checkbox' },
      ],
      button: 'Cancel the subscription',
      back: pageOf(params),
    }),
    call: (fields, params) =>
      callOf('cancel', params, { at: textField(fields, 'at'), forgive: textField(fields, 'forgive') === 'true' }),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/cycles/:number/forgive',
    section,
    ask: async (request, params) => ({
      title: `Forgive cycle ${params['number']}?`,
      text: html`<p>It is owed no more, and its charge is withdrawn. The other cycles stay as they are.</p>${await factsOf(request, params)}`,
      button: 'Forgive the cycle',
      back: pageOf(params),
    }),
    call: (_, params) => callOf(`cycles/${encodeURIComponent(params['number'] ?? '')}/forgive`, params),
    done: (_, params) => pageOf(params),
  });

  defineAct(app, deps, {
    url: '/subscriptions/:id/withdraw',
    section,
    ask: async (request, params) => ({
      title: 'Withdraw the link to the page of this subscription?',
      text: html`<p>For a link that reached the wrong person: it stops working, and the subscription gets a new one. The checkouts of its charges have links of their own.</p>${await factsOf(request, params)}`,
      fields: [linkField(await read(request, params))],
      button: 'Withdraw the link',
      back: pageOf(params),
    }),
    call: (fields, params) =>
      callOf('checkout/withdraw', params, { checkoutUrl: linkIn(fields, params, deps.links.subscriptionUrl) }),
    done: (_, params) => pageOf(params),
  });
}

/** The inputs that can be emptied, with their names in the API. */
const EMPTIED = [...PRESENT_TERMS, ...NOTES].map(({ name, apiName = name }) => [name, apiName] as const);

function termsIn(fields: Fields) {
  const { amount, methods, automatic } = filled(fields, ['amount', 'methods', 'automatic']);
  const metadata = textsIn(fields, 'metadata');
  return {
    ...filled(fields, ['planId', 'walletId', 'externalId', 'description']),
    ...numbersIn(fields, ['day', 'cycles']),
    ...(amount !== undefined && { amountCents: centsIn(amount) }),
    ...(methods !== undefined && { methods: methods.split(' ') }),
    ...(automatic !== undefined && { automatic: automatic === 'true' }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** What the form shows of a subscription. */
function valuesOf(subscription: Subscription): Readonly<Record<string, string | undefined>> {
  const { planId, amountCents, day, cycles, methods, description, externalId, metadata } = subscription;
  return {
    ...{ planId, walletId: subscription.walletId, description, externalId },
    amount: fieldAmount(amountCents),
    day: String(day),
    cycles: cycles?.toString(),
    methods: methodsText(methods),
    automatic: String(subscription.isAutomatic),
    metadata: metadataText(metadata),
  };
}
