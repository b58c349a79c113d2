// Plans: what subscriptions are charged, and how often.
import { type Static, Type } from 'typebox';
import type { PlanChanges as Changes } from '../billing/plans/change.ts';
import type { NewPlan } from '../billing/plans/plan.ts';
import { CryptoBody, PastDueBody, TaxesBody, termFields, termViews, toPastDue, toTaxes } from './billing-terms.ts';
import { Metadata, MetadataView } from './notes.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { AccountId, DateTime, optional, orNull, Ref, Text, Uuid } from './schemas.ts';

const { amountCents, currency, interval, day, cycles, methods, automatic, daysAhead, trialDays, description } =
  termFields;
const externalId = Text({ description: 'Your own id. A repeat for the same account returns the first plan.' });
const name = Text({ description: 'For yourselves.' });

export const PLAN_DEFAULTS = {
  currency: 'BRL',
  automatic: false,
  daysAhead: 5,
  trialDays: 0,
  pastDue: { pastDueAfterDays: 3, unpaidAction: 'keep', unpaidAfterDays: 30 },
} as const;

const EXAMPLE = {
  accountId: 'acme',
  externalId: 'gold',
  name: 'Gold',
  amountCents: 9_900,
  interval: 'monthly' as const,
  day: 10,
  methods: ['boleto' as const, 'pix' as const],
  pastDue: { afterDays: 3, action: 'cancel' as const, actionAfterDays: 30 },
};

export const PlanBody = Type.Object(
  {
    accountId: AccountId({
      description: 'The account the plan belongs to. A sandbox opens an account it does not know.',
    }),
    name,
    ...{ amountCents, interval, methods },
    ...optional({
      externalId,
      day,
      cycles,
      pastDue: PastDueBody,
      taxes: TaxesBody,
      crypto: CryptoBody,
      metadata: Metadata,
    }),
    currency: Type.Optional({ ...currency, default: PLAN_DEFAULTS.currency }),
    automatic: Type.Optional({ ...automatic, default: PLAN_DEFAULTS.automatic }),
    daysAhead: Type.Optional({ ...daysAhead, default: PLAN_DEFAULTS.daysAhead }),
    trialDays: Type.Optional({ ...trialDays, default: PLAN_DEFAULTS.trialDays }),
    description: Type.Optional({
      ...description,
      description: 'What the payer reads on each charge; the name when absent.',
    }),
  },
  { $id: 'NewPlan', additionalProperties: false, examples: [EXAMPLE] },
);
export type PlanBody = Static<typeof PlanBody>;

export const PlanChanges = Type.Object(
  {
    ...optional({ name, amountCents, currency, interval, methods, automatic, daysAhead, trialDays, description }),
    pastDue: Type.Optional(PastDueBody),
    externalId: orNull(externalId),
    day: orNull(day),
    cycles: orNull(cycles),
    taxes: orNull(TaxesBody),
    crypto: orNull(CryptoBody),
    metadata: orNull(Metadata),
    archived: Type.Optional(Type.Boolean({ description: 'True: it takes no new subscriptions.' })),
  },
  { $id: 'PlanChanges', additionalProperties: false, examples: [{ amountCents: 10_900 }] },
);
export type PlanChanges = Static<typeof PlanChanges>;

export const PlanView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    externalId: Type.Optional(Type.String()),
    name: Type.String(),
    ...termViews,
    day: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Absent: each subscription has the day of its first cycle.' }),
    ),
    trialDays: Type.Integer({ minimum: 0 }),
    metadata: Type.Optional(MetadataView),
    archived: Type.Boolean(),
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  { $id: 'Plan', additionalProperties: false },
);

export const PlansQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only plans of this account.' })),
    externalId: Type.Optional(Text({ description: 'Only plans with this id of yours.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const PlansPage = Type.Object(
  { plans: Type.Array(Ref(PlanView)), ...pageCounts },
  { $id: 'PlansPage', additionalProperties: false },
);

export const PLAN_SCHEMAS = [PlanBody, PlanChanges, PlanView, PlansPage];

export const PLAN_EXAMPLE: Static<typeof PlanView> = {
  id: '019a7c53-1d2e-7a4b-9c66-3f5e7a9102c4',
  ...EXAMPLE,
  currency: 'BRL',
  daysAhead: 5,
  description: 'Gold',
  trialDays: 0,
  archived: false,
  createdAt: '2026-11-16T06:33:20.240Z',
  updatedAt: '2026-11-16T06:33:20.240Z',
};

export const PLANS_EXAMPLE: Static<typeof PlansPage> = { plans: [PLAN_EXAMPLE], ...ONE_PAGE };

/** The plan that a body asks for. */
export function toNewPlan({ taxes = {}, pastDue = {}, crypto, ...body }: PlanBody): NewPlan {
  const { amountCents: cents, methods: asked, automatic: isAutomatic = PLAN_DEFAULTS.automatic, ...rest } = body;
  return {
    isAutomatic,
    ...{ currency: PLAN_DEFAULTS.currency, daysAhead: PLAN_DEFAULTS.daysAhead, trialDays: PLAN_DEFAULTS.trialDays },
    ...{ description: body.name, ...rest },
    amountCents: BigInt(cents),
    methods: [...new Set(asked)],
    ...PLAN_DEFAULTS.pastDue,
    ...toPastDue(pastDue),
    ...toTaxes(taxes),
    ...crypto,
  };
}

export function toPlanChanges({ taxes, pastDue = {}, crypto, archived, ...body }: PlanChanges): Changes {
  const { amountCents: cents, methods: asked, automatic: isAutomatic, ...rest } = body;
  return {
    ...rest,
    ...(isAutomatic !== undefined && { isAutomatic }),
    ...(cents !== undefined && { amountCents: BigInt(cents) }),
    ...(asked && { methods: [...new Set(asked)] }),
    ...toPastDue(pastDue),
    // They are replaced as a whole.
    ...(taxes !== undefined && { finePercent: null, interestPercent: null, ...toTaxes(taxes ?? {}) }),
    ...(crypto === null ? { symbol: null, network: null, settlementSchedule: null } : crypto),
    ...(archived !== undefined && { isArchived: archived }),
  };
}
