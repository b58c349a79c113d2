// Instalments (carnê): one sum that is asked for in several charges, one a month.
import { type Static, Type } from 'typebox';
import {
  checkDivision,
  checkFirstDueDay,
  type Division,
  INSTALMENT_PLAN_STATES,
  MAX_INSTALMENTS,
  MIN_INSTALMENTS,
  type NewInstalmentPlan,
  numbered,
} from '../billing/instalments/instalment-plan.ts';
import { CHARGE_STATES } from '../charges/charge.ts';
import { CURRENCIES } from '../lib/currency.ts';
import type { Fault } from '../lib/errors.ts';
import { BALANCE_EXAMPLE, Balance } from './balance.ts';
import { CHARGE_EXAMPLE, ChargeView } from './charges.ts';
import { ChargeBody, toSharedTerms } from './new-charge.ts';
import { MAX_DESCRIPTION_LENGTH, noteViews } from './notes.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { REFUND_EXAMPLE, RefundView } from './refunds.ts';
import { DateTime, Day, OneOf, Ref, Text, Uuid } from './schemas.ts';
import type { DeepPartial } from './wire.ts';

/** Room for the longest number behind the description. */
const MAX_PLAN_DESCRIPTION_LENGTH =
  MAX_DESCRIPTION_LENGTH - ` ${numbered(undefined, MAX_INSTALMENTS, MAX_INSTALMENTS)}`.length;
const MAX_EXPIRE_AFTER_DAYS = 3_650;

// Days and reductions are those of one charge.
const { dueAt: _1, expireAt: _2, abatement: _3, discounts: _4, ...chargeFields } = ChargeBody.properties;

export const InstalmentPlanBody = Type.Object(
  {
    ...chargeFields,
    externalId: Type.Optional(
      Text({ description: 'Your own id of the plan. A repeat for the same account returns the first plan.' }),
    ),
    description: Type.Optional(
      Text({
        maxLength: MAX_PLAN_DESCRIPTION_LENGTH,
        description: `What is paid for, at most ${MAX_PLAN_DESCRIPTION_LENGTH} characters; each charge has its number behind it, such as 1/12.`,
      }),
    ),
    amountCents: Type.Integer({ minimum: 1, description: 'The whole sum, in hundredths of the currency.' }),
    count: Type.Optional(
      Type.Integer({
        minimum: MIN_INSTALMENTS,
        maximum: MAX_INSTALMENTS,
        description: 'Into how many equal instalments; cents that cannot be divided are in the first.',
      }),
    ),
    amountsCents: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: MIN_INSTALMENTS,
        maxItems: MAX_INSTALMENTS,
        description: 'Instead of `count`: the amount of each instalment. They add up to `amountCents`.',
      }),
    ),
    firstDueDay: Day({
      description:
        'When the first is due, in São Paulo; the others on the same day of the months after it, or on the last day of a month that has no such day.',
    }),
    expireAfterDays: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_EXPIRE_AFTER_DAYS,
        description: 'How long after its due day each can be paid; 30 days when absent.',
      }),
    ),
  },
  {
    $id: 'NewInstalmentPlan',
    additionalProperties: false,
    examples: [
      {
        accountId: 'acme',
        externalId: 'enrolment-2027-118',
        description: 'English course',
        amountCents: 120_000,
        currency: 'BRL',
        count: 12,
        firstDueDay: '2026-12-31',
        methods: ['boleto', 'pix'],
        customer: { name: 'Maria da Silva', document: '529.982.247-25' },
        taxes: { fine: 2, interest: 1 },
      },
    ],
  },
);
export type InstalmentPlanBody = Static<typeof InstalmentPlanBody>;

const view = {
  id: Uuid(),
  accountId: Type.String(),
  externalId: Type.Optional(Type.String()),
  ...noteViews,
  customerId: Type.Optional(Uuid({ description: 'The customer that the plan was made for by its id.' })),
  state: OneOf(INSTALMENT_PLAN_STATES, {
    description:
      'COMPLETED: each instalment was paid or canceled. CANCELED: by request, or each instalment was canceled. An instalment that expired, failed or was paid in part keeps it OPEN.',
  }),
  amountCents: Type.Integer({ description: 'The whole sum.' }),
  currency: OneOf(CURRENCIES),
  instalmentCount: Type.Integer({ minimum: MIN_INSTALMENTS, maximum: MAX_INSTALMENTS }),
  paidCount: Type.Integer({
    minimum: 0,
    description: 'How many were paid in full, also those that were refunded later.',
  }),
  checkoutUrl: Type.String({
    format: 'uri-reference',
    description: 'The page to send to the payer: every instalment, the next one due first.',
  }),
  slipsUrl: Type.String({ format: 'uri-reference', description: 'The slips to print.' }),
  createdAt: DateTime(),
  updatedAt: DateTime(),
};

const InstalmentPlanView = Type.Object(view, { $id: 'InstalmentPlan', additionalProperties: false });

export const InstalmentPlanDetail = Type.Object(
  {
    ...view,
    balance: Balance(
      'In reais, exact, over all charges of the plan, those for the rest of one that was paid in part included.',
    ),
    charges: Type.Array(Ref(ChargeView), { description: 'The instalments, in their order.' }),
  },
  { $id: 'InstalmentPlanDetail', additionalProperties: false },
);

export const PlanRefunds = Type.Object(
  {
    charges: Type.Array(
      Type.Object(
        {
          number: Type.Integer({ minimum: 1, description: 'Which instalment it is, or asks for the rest of.' }),
          chargeId: Uuid(),
          state: OneOf(CHARGE_STATES),
          refunds: Type.Array(Ref(RefundView), {
            description: 'Asked for now and before. PENDING: the bank has not answered yet.',
          }),
          refused: Type.Optional(
            Type.Object(
              { code: Type.String(), reason: Type.String() },
              { additionalProperties: false, description: 'Why what is left cannot go back from here.' },
            ),
          ),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { $id: 'InstalmentPlanRefunds', additionalProperties: false },
);

export const InstalmentsQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only plans of this account.' })),
    state: Type.Optional(OneOf(INSTALMENT_PLAN_STATES, { description: 'Only plans in this state.' })),
    externalId: Type.Optional(Text({ description: 'Only plans with this id of yours.' })),
    customerId: Type.Optional(Uuid({ description: 'Only plans that were made for this customer by its id.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const InstalmentsPage = Type.Object(
  { instalments: Type.Array(Ref(InstalmentPlanView)), ...pageCounts },
  { $id: 'InstalmentsPage', additionalProperties: false },
);

const PER_PAGE = ['1', '3'] as const;

export const SlipsQuery = Type.Object(
  {
    perPage: Type.Optional(
      OneOf(PER_PAGE, {
        description: '3, when absent: the slips of a carnê, to be cut. 1: each boleto on a page of its own.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type PerPage = (typeof PER_PAGE)[number];

export const INSTALMENT_SCHEMAS = [
  InstalmentPlanBody,
  InstalmentPlanView,
  InstalmentPlanDetail,
  InstalmentsPage,
  PlanRefunds,
];

const EXAMPLE_ID = '019a8f20-5d11-7be2-9c34-7d1e2f3a4b5c';

const INSTALMENT_PLAN_EXAMPLE: Static<typeof InstalmentPlanView> = {
  id: EXAMPLE_ID,
  accountId: 'acme',
  externalId: 'enrolment-2027-118',
  description: 'English course',
  state: 'OPEN',
  amountCents: 120_000,
  currency: 'BRL',
  instalmentCount: 12,
  paidCount: 0,
  checkoutUrl: 'https://pay.example.com/pay/instalments/AZqPIF0Re-KcNH0eLzpLXADk0o2yH6uXkE8aVf1cJ9t',
  slipsUrl: `/instalments/${EXAMPLE_ID}/slips.pdf`,
  createdAt: '2026-11-16T06:33:20.240Z',
  updatedAt: '2026-11-16T06:33:20.240Z',
};

export const PLAN_DETAIL_EXAMPLE: Static<typeof InstalmentPlanDetail> = {
  ...INSTALMENT_PLAN_EXAMPLE,
  balance: BALANCE_EXAMPLE,
  charges: [
    {
      ...CHARGE_EXAMPLE,
      description: 'English course 1/12',
      instalment: { instalmentPlanId: EXAMPLE_ID, number: 1 },
    },
  ],
};

export const PLAN_REFUNDS_EXAMPLE: Static<typeof PlanRefunds> = {
  charges: [
    { number: 1, chargeId: CHARGE_EXAMPLE.id, state: 'PAID', refunds: [REFUND_EXAMPLE] },
    {
      number: 2,
      chargeId: '019a8b5e-3c71-7aa0-8d12-5e6f7a8b9c0d',
      state: 'SETTLED',
      refunds: [],
      refused: {
        code: 'wrong_state',
        reason: 'This boleto cannot be refunded here: send the money back at your bank.',
      },
    },
  ],
};

export const INSTALMENTS_EXAMPLE: Static<typeof InstalmentsPage> = {
  instalments: [INSTALMENT_PLAN_EXAMPLE],
  ...ONE_PAGE,
};

/** The plan that a body asks for. */
export function toNewInstalmentPlan({
  count,
  amountsCents,
  firstDueDay,
  expireAfterDays,
  amountCents,
  ...body
}: InstalmentPlanBody): NewInstalmentPlan {
  return {
    amountCents: BigInt(amountCents),
    division: toDivision(count, amountsCents)!,
    firstDueDay,
    ...(expireAfterDays !== undefined && { expireAfterDays }),
    terms: toSharedTerms(body),
  };
}

/** What the schema cannot say about the amounts and the first day. */
export function checkInstalments({
  amountCents,
  count,
  amountsCents,
  firstDueDay,
}: DeepPartial<InstalmentPlanBody>): Fault[] {
  const faults = firstDueDay === undefined ? [] : checkFirstDueDay(firstDueDay);
  if (count !== undefined && amountsCents !== undefined) {
    return [...faults, { path: 'amountsCents', code: 'not_together', message: 'must not come together with count' }];
  }
  const division = toDivision(count, amountsCents);
  if (division && amountCents !== undefined) faults.push(...checkDivision(BigInt(amountCents), division));
  return faults;
}

/** One of the two says into what the sum is divided. */
export function checkIsDivided({ given: { body } }: { readonly given: { readonly body: unknown } }): Fault[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if ('count' in body || 'amountsCents' in body) return [];
  return [{ path: 'count', code: 'required', message: 'is required, or amountsCents instead' }];
}

function toDivision(count: number | undefined, amountsCents: readonly number[] | undefined): Division | undefined {
  if (count !== undefined) return { count };
  return amountsCents && { amountsCents: amountsCents.map(BigInt) };
}
