// Acts on plans: create, change.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PLAN_DEFAULTS } from '../../api/plans.ts';
import { INTERVALS } from '../../billing/plans/cycle-days.ts';
import { type Plan, UNPAID_ACTIONS } from '../../billing/plans/plan.ts';
import { requirePlan } from '../../billing/plans/require.ts';
import { NETWORKS, SYMBOLS } from '../../chains/asset.ts';
import { SETTLEMENT_SCHEDULES } from '../../orders/order.ts';
import { html } from '../html.ts';
import { type ActDeps, accountIn, defineAct, type Field, type Params } from './act.ts';
import { accountField } from './choices.ts';
import { centsIn, type Fields, filled, linesIn, metadataText, numbersIn, textField, textsIn } from './form.ts';
import { EXAMPLE_AMOUNT, fieldAmount } from './formats.ts';
import { CURRENCY_FIELD, TAX_FIELDS, taxesIn } from './new-charge.ts';
import { DESCRIPTION_FIELD, METADATA_FIELD, METHODS_FIELD, methodsText } from './payer-fields.ts';

const { daysAhead, trialDays, pastDue } = PLAN_DEFAULTS;
const unpaid = { group: 'When a charge stays unpaid' };

const buys = { group: 'Where each paid cycle buys crypto', type: 'select' } as const;
const choices = (values: readonly string[]) => values.map(value => ({ value, label: value }));

const CRYPTO_FIELDS: readonly Field[] = [
  {
    ...{ name: 'symbol', apiName: 'crypto.symbol', label: 'Asset', ...buys },
    options: [{ value: '', label: 'none' }, ...choices(SYMBOLS)],
    hint: 'At the price of the payment, to the wallet of each subscription. The plan is in BRL.',
  },
  { ...{ name: 'network', apiName: 'crypto.network', label: 'Network', ...buys }, options: choices(NETWORKS) },
  {
    ...{ name: 'settlementSchedule', apiName: 'crypto.settlementSchedule', label: 'Settles', ...buys },
    options: choices(SETTLEMENT_SCHEDULES),
  },
];

const FIELDS: readonly Field[] = [
  { name: 'name', label: 'Name', isRequired: true, hint: 'For yourselves.' },
  {
    ...{ name: 'amount', apiName: 'amountCents', label: 'Amount of a cycle', isRequired: true },
    hint: `Such as ${EXAMPLE_AMOUNT}`,
  },
  CURRENCY_FIELD,
  {
    ...{ name: 'interval', label: 'A cycle begins', type: 'select', value: 'monthly' },
    options: INTERVALS.map(value => ({ value, label: value })),
  },
  {
    ...{ name: 'day', label: 'Day' },
    hint: 'Of the month, 31 for the last; or of the week, from 1 (Monday). Left empty: that of the first cycle.',
  },
  METHODS_FIELD,
  {
    ...{ name: 'automatic', label: 'Collect by Pix Automático where the customer has a mandate', type: 'checkbox' },
  },
  { name: 'cycles', label: 'Cycles', hint: 'Left empty: without an end.' },
  { name: 'trialDays', label: 'Days of the trial', hint: `Left empty: ${trialDays}.` },
  {
    name: 'daysAhead',
    label: 'Days ahead',
    hint: `How long before its day a cycle is charged. Left empty: ${daysAhead}.`,
  },
  { ...DESCRIPTION_FIELD, hint: 'Shown to the payer. Left empty: the name.' },
  { name: 'externalId', label: 'Your own id', hint: 'Optional. The same id again returns the first plan.' },
  {
    ...{ name: 'afterDays', label: 'Past due after days', ...unpaid },
    hint: `Left empty: ${pastDue.pastDueAfterDays} after the due day.`,
  },
  {
    ...{ name: 'unpaidAction', apiName: 'pastDue.action', label: 'Then', type: 'select', ...unpaid },
    options: UNPAID_ACTIONS.map(value => ({ value, label: value })),
  },
  {
    ...{ name: 'actionAfterDays', label: 'That after days', ...unpaid },
    hint: `Left empty: ${pastDue.unpaidAfterDays} after the due day.`,
  },
  ...TAX_FIELDS,
  ...CRYPTO_FIELDS,
  { ...METADATA_FIELD, group: 'Notes of your own' },
];

export function planActs(app: FastifyInstance, deps: ActDeps): void {
  const section = 'subscriptions';
  const back = '/dashboard/plans';
  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requirePlan(deps.db, id.toLowerCase(), caller?.accountId);

  defineAct(app, deps, {
    url: '/plans/new',
    section,
    ask: async request => ({
      title: 'New plan',
      text: html`<p>What subscriptions are charged, and how often. Creating one charges no customer yet.</p>`,
      fields: [...(await accountField(deps, request)), ...FIELDS],
      button: 'Create the plan',
      back,
    }),
    call: (fields, _, request) => {
      const metadata = textsIn(fields, 'metadata');
      return {
        method: 'POST',
        url: '/plans',
        body: {
          ...accountIn(fields, request),
          ...filled(fields, ['externalId']),
          ...termsIn(fields),
          ...(metadata !== undefined && { metadata }),
        },
      };
    },
    done: () => back,
  });

  defineAct(app, deps, {
    url: '/plans/:id/change',
    section,
    ask: async (request, params) => ({
      title: 'Change the plan',
      text: html`<p>Its subscriptions keep the terms that they were made with; new ones have the changed terms.</p>`,
      fields: filledFrom(await read(request, params)),
      button: 'Change the plan',
      back,
    }),
    call: async (fields, params, request) => {
      const { id, metadata } = await read(request, params);
      return {
        method: 'PATCH',
        url: `/plans/${id}`,
        body: {
          ...{ day: null, cycles: null, taxes: null, crypto: null },
          ...termsIn(fields),
          externalId: textField(fields, 'externalId') || null,
          archived: textField(fields, 'archived') === 'true',
          // The field cannot hold every value, such as texts of several lines, so it is sent only when it was changed.
          ...(linesIn(fields, 'metadata') !== metadataText(metadata) && {
            metadata: textsIn(fields, 'metadata') ?? null,
          }),
        },
      };
    },
    done: () => back,
  });
}

/** A field that is left empty has its default, also when a plan is changed, as the form says. */
function termsIn(fields: Fields) {
  const name = textField(fields, 'name');
  return {
    ...{ name, description: textField(fields, 'description') || name, daysAhead, trialDays },
    ...filled(fields, ['currency', 'interval']),
    ...numbersIn(fields, ['day', 'cycles', 'trialDays', 'daysAhead']),
    amountCents: centsIn(textField(fields, 'amount')),
    methods: textField(fields, 'methods').split(' '),
    automatic: textField(fields, 'automatic') === 'true',
    pastDue: {
      ...{ afterDays: pastDue.pastDueAfterDays, actionAfterDays: pastDue.unpaidAfterDays },
      ...numbersIn(fields, ['afterDays', 'actionAfterDays']),
      action: textField(fields, 'unpaidAction') || pastDue.unpaidAction,
    },
    ...taxesIn(fields),
    ...(textField(fields, 'symbol') !== '' && {
      crypto: filled(fields, ['symbol', 'network', 'settlementSchedule']),
    }),
  };
}

function filledFrom(plan: Plan): Field[] {
  const { name, currency, interval, day, cycles, description, externalId } = plan;
  const values: Readonly<Record<string, string | number | undefined>> = {
    ...{ name, currency, interval, day, cycles, description, externalId },
    ...{ trialDays: plan.trialDays, daysAhead: plan.daysAhead },
    amount: fieldAmount(plan.amountCents),
    methods: methodsText(plan.methods),
    ...(plan.isAutomatic && { automatic: 'true' }),
    ...{ afterDays: plan.pastDueAfterDays, unpaidAction: plan.unpaidAction, actionAfterDays: plan.unpaidAfterDays },
    ...{ fine: plan.finePercent, interest: plan.interestPercent },
    ...{ symbol: plan.symbol, network: plan.network, settlementSchedule: plan.settlementSchedule },
    metadata: metadataText(plan.metadata),
  };
  const archived = { name: 'archived', label: 'Archived: it takes no new subscriptions', type: 'checkbox' } as const;
  return [
    ...FIELDS.map(field => {
      const value = values[field.name];
      return value === undefined ? field : { ...field, value: String(value) };
    }),
    { ...archived, ...(plan.isArchived && { value: 'true' }) },
  ];
}
