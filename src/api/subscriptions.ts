// Subscriptions: customers who are charged by a plan, cycle after cycle.
import { type Static, Type } from 'typebox';
import type { SubscriptionChanges as Changes } from '../billing/subscriptions/change.ts';
import type { NewSubscription } from '../billing/subscriptions/create.ts';
import { CANCEL_REASONS, CYCLE_STATUSES, SUBSCRIPTION_STATUSES } from '../billing/subscriptions/subscription.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { termFields, termViews } from './billing-terms.ts';
import { Metadata, MetadataView } from './notes.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { AccountId, DateTime, Day, OneOf, optional, orNull, Ref, Text, Uuid } from './schemas.ts';

const { amountCents, day, cycles, methods, automatic, trialDays, description } = termFields;
const externalId = Text({ description: 'Your own id. A repeat for the same account returns the first subscription.' });
const walletId = Uuid({
  description:
    'The wallet of the account that crypto is bought to, where the plan buys it; on its network. Needs the scope transactions:write.',
});
const ownTerms = { amountCents, day, cycles, methods, automatic, description };

const EXAMPLE = {
  accountId: 'acme',
  externalId: 'contract-77',
  planId: '019a7c53-1d2e-7a4b-9c66-3f5e7a9102c4',
  customerId: '019a7c52-0b1e-7c3d-8a55-2e4d6f8091b3',
};

export const SubscriptionBody = Type.Object(
  {
    accountId: AccountId({ description: 'The account of the plan and the customer.' }),
    planId: Uuid({
      description: 'Its terms are copied: a later change of the plan does not change this subscription.',
    }),
    customerId: Uuid({ description: 'Whom each charge names, with the data of its moment.' }),
    ...optional({ externalId, ...ownTerms, trialDays, walletId }),
    startDay: Type.Optional(
      Day({
        description:
          'The first cycle is on this day, or on the first after it that fits; today, or the end of the trial, when absent.',
      }),
    ),
    metadata: Type.Optional(Metadata),
  },
  { $id: 'NewSubscription', additionalProperties: false, examples: [EXAMPLE] },
);
export type SubscriptionBody = Static<typeof SubscriptionBody>;

export const SubscriptionChanges = Type.Object(
  {
    planId: Type.Optional(
      Uuid({
        description:
          'Takes all terms of this plan; fields given in the same request override them. One with no more cycles than were charged needs `cycles` too.',
      }),
    ),
    ...optional({ amountCents, day, methods, automatic, description, walletId }),
    cycles: orNull(cycles),
    externalId: orNull(externalId),
    metadata: orNull(Metadata),
  },
  { $id: 'SubscriptionChanges', additionalProperties: false, examples: [{ amountCents: 10_900 }] },
);
export type SubscriptionChanges = Static<typeof SubscriptionChanges>;

const CANCEL_MOMENTS = ['now', 'period_end'] as const;

export const CancelBody = Type.Object(
  {
    at: Type.Optional(
      OneOf(CANCEL_MOMENTS, {
        description: 'period_end: on the day of the first cycle that is not paid for.',
      }),
    ),
    forgive: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'True: charges of cycles that have begun are withdrawn too. Only with `now`.',
      }),
    ),
  },
  { $id: 'CancelSubscription', additionalProperties: false, examples: [{ at: 'period_end' }] },
);

const cycleFields = {
  number: Type.Integer({ minimum: 1 }),
  day: Day({ description: 'What the calendar gives it.' }),
  status: OneOf(CYCLE_STATUSES),
  amountCents: Type.Optional(Type.Integer({ minimum: 1 })),
  currency: Type.Optional(OneOf(CURRENCIES)),
  dueDay: Type.Optional(Day({ description: 'Until when its charge is to be paid.' })),
  chargeId: Type.Optional(Uuid()),
  collectionId: Type.Optional(Uuid({ description: 'The collection of its charge by a mandate.' })),
  fallbackReason: Type.Optional(
    Type.String({ description: 'Why no mandate brings its money, so that the customer has to pay the charge.' }),
  ),
  reason: Type.Optional(Type.String({ description: 'Why no charge could be made; it is tried again.' })),
  retryAt: Type.Optional(DateTime()),
  paidAt: Type.Optional(DateTime()),
  orderId: Type.Optional(Uuid({ description: 'The crypto transaction that its money pays for.' })),
  orderReason: Type.Optional(
    Type.String({ description: 'Why its money could not buy crypto yet; it is tried again.' }),
  ),
};

export const CycleView = Type.Object(cycleFields, { $id: 'SubscriptionCycle', additionalProperties: false });

const view = {
  id: Uuid(),
  accountId: Type.String(),
  externalId: Type.Optional(Type.String()),
  planId: Uuid(),
  customerId: Uuid(),
  status: OneOf(SUBSCRIPTION_STATUSES),
  ...termViews,
  walletId: Type.Optional(Uuid({ description: 'Where to crypto is bought.' })),
  day: Type.Integer({ minimum: 1, description: 'Of the week, from Monday, or of the month.' }),
  trialEndDay: Type.Optional(Day()),
  cancelOn: Type.Optional(Day({ description: 'It is canceled on this day, unless it is resumed before.' })),
  cancelReason: Type.Optional(OneOf(CANCEL_REASONS)),
  metadata: Type.Optional(MetadataView),
  checkoutUrl: Type.String({
    format: 'uri-reference',
    description: 'The page to send to the payer: what is due, what was paid, and a button that stops it.',
  }),
  pausedAt: Type.Optional(DateTime()),
  endedAt: Type.Optional(DateTime({ description: 'When it was canceled or completed.' })),
  createdAt: DateTime(),
  updatedAt: DateTime(),
};

/** What its events carry. */
export const SubscriptionView = Type.Object(
  { ...view, cycle: Type.Optional(Ref(CycleView)) },
  { $id: 'Subscription', additionalProperties: false, description: '`cycle`: the one that an event is about.' },
);

export const SubscriptionDetail = Type.Object(
  {
    ...view,
    nextCycle: Type.Optional(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1 }),
          day: Day(),
          chargeDay: Day({ description: 'From when on its charge is made.' }),
          reason: Type.Optional(Type.String({ description: 'Why it could not be charged yet.' })),
        },
        { additionalProperties: false, description: 'The next one to be charged; absent when none will be.' },
      ),
    ),
  },
  { $id: 'SubscriptionDetail', additionalProperties: false },
);

export const SubscriptionsQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only subscriptions of this account.' })),
    customerId: Type.Optional(Uuid({ description: 'Only those of this customer.' })),
    planId: Type.Optional(Uuid({ description: 'Only those of this plan.' })),
    status: Type.Optional(OneOf(SUBSCRIPTION_STATUSES)),
    externalId: Type.Optional(Text({ description: 'Only those with this id of yours.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const SubscriptionsPage = Type.Object(
  { subscriptions: Type.Array(Ref(SubscriptionView)), ...pageCounts },
  { $id: 'SubscriptionsPage', additionalProperties: false },
);

export const CyclesQuery = Type.Object(
  { page: pageParameters.page, pageSize: pageParameters.pageSize },
  { additionalProperties: false },
);

export const CyclesPage = Type.Object(
  { cycles: Type.Array(Ref(CycleView)), ...pageCounts },
  { $id: 'SubscriptionCyclesPage', additionalProperties: false },
);

export const SUBSCRIPTION_SCHEMAS = [
  SubscriptionBody,
  SubscriptionChanges,
  CancelBody,
  CycleView,
  SubscriptionView,
  SubscriptionDetail,
  SubscriptionsPage,
  CyclesPage,
];

export const SUBSCRIPTION_EXAMPLE: Static<typeof SubscriptionView> = {
  id: '019a7c54-2e3f-7b5c-8d77-4a6f8b0213d5',
  ...EXAMPLE,
  status: 'active',
  amountCents: 9_900,
  currency: 'BRL',
  interval: 'monthly',
  methods: ['boleto', 'pix'],
  daysAhead: 5,
  pastDue: { afterDays: 3, action: 'cancel', actionAfterDays: 30 },
  description: 'Gold',
  day: 10,
  checkoutUrl: 'https://pay.example.com/my/AZqPIF0Re-KcNH0eLzpLXADk0o2yH6uXkE8aVf1cJ9t',
  createdAt: '2026-11-16T06:33:20.240Z',
  updatedAt: '2026-12-05T03:00:00.000Z',
};

export const SUBSCRIPTION_DETAIL_EXAMPLE: Static<typeof SubscriptionDetail> = {
  ...SUBSCRIPTION_EXAMPLE,
  nextCycle: { number: 2, day: '2027-01-10', chargeDay: '2027-01-05' },
};

export const SUBSCRIPTIONS_EXAMPLE: Static<typeof SubscriptionsPage> = {
  subscriptions: [SUBSCRIPTION_EXAMPLE],
  ...ONE_PAGE,
};

const CHARGED_CYCLE = {
  number: 1,
  day: '2026-12-10',
  amountCents: 9_900,
  currency: 'BRL' as const,
  dueDay: '2026-12-10',
  chargeId: '019a7c51-7a0c-7f6e-9d0b-3c8c7ab1f0d2',
};

export const FORGIVEN_CYCLE_EXAMPLE: Static<typeof CycleView> = { ...CHARGED_CYCLE, status: 'canceled' };

export const CYCLES_EXAMPLE: Static<typeof CyclesPage> = {
  cycles: [{ ...CHARGED_CYCLE, status: 'paid', paidAt: '2026-12-08T14:21:07.000Z' }],
  ...ONE_PAGE,
};

/** The subscription that a body asks for. */
export function toNewSubscription({
  amountCents: cents,
  methods: asked,
  automatic,
  ...body
}: SubscriptionBody): NewSubscription {
  return {
    ...body,
    ...(cents !== undefined && { amountCents: BigInt(cents) }),
    ...(asked && { methods: [...new Set(asked)] }),
    ...(automatic !== undefined && { isAutomatic: automatic }),
  };
}

export function toSubscriptionChanges({
  amountCents: cents,
  methods: asked,
  automatic,
  ...body
}: SubscriptionChanges): Changes {
  return {
    ...body,
    ...(cents !== undefined && { amountCents: BigInt(cents) }),
    ...(asked && { methods: [...new Set(asked)] }),
    ...(automatic !== undefined && { isAutomatic: automatic }),
  };
}
