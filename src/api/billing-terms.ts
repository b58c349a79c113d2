// What plans and subscriptions are charged: the fields that both have.
import { type Static, Type } from 'typebox';
import { INTERVALS, LAST_DAY_OF_MONTH } from '../billing/plans/cycle-days.ts';
import { UNPAID_ACTIONS } from '../billing/plans/plan.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { SETTLEMENT_SCHEDULES } from '../orders/order.ts';
import { METHODS } from '../rails/methods/methods.ts';
import { MethodsBody, Percent } from './new-charge.ts';
import { decimalText } from './percents.ts';
import { quoteFields } from './quotes.ts';
import { OneOf, Text } from './schemas.ts';

const MAX_CYCLES = 10_000;
const MAX_DAYS_AHEAD = 30;
const MAX_DAYS_UNPAID = 365;
const MAX_TRIAL_DAYS = 3_650;
const MAX_DESCRIPTION_LENGTH = 140;

const Days = (maximum: number, description: string) => Type.Integer({ minimum: 0, maximum, description });

const afterDays = Days(
  MAX_DAYS_UNPAID,
  'Days after the due day of an unpaid charge until the subscription is past due.',
);
const action = OneOf(UNPAID_ACTIONS, { description: 'What becomes of one that stays past due.' });
const actionAfterDays = Days(MAX_DAYS_UNPAID, 'Days after that due day until then; not less than afterDays.');

export const PastDueBody = Type.Object(
  {
    afterDays: Type.Optional({ ...afterDays, default: 3 }),
    action: Type.Optional({ ...action, default: 'keep' }),
    actionAfterDays: Type.Optional({ ...actionAfterDays, default: 30 }),
  },
  { additionalProperties: false },
);

export const TaxesBody = Type.Object(
  {
    fine: Type.Optional(Percent('Percent of the amount, once, from the first late day.')),
    interest: Type.Optional(Percent('Percent a month, a thirtieth of it each day.')),
  },
  { additionalProperties: false },
);

const cryptoFields = {
  symbol: quoteFields.symbol,
  network: quoteFields.network,
  settlementSchedule: OneOf(SETTLEMENT_SCHEDULES, { description: 'Banking days after the payment of a cycle.' }),
};

export const CryptoBody = Type.Object(cryptoFields, {
  additionalProperties: false,
  description:
    'Each cycle, once it is paid, buys this to the wallet of the subscription, at the price of then: an order is made of its charge. The plan is in BRL.',
});

export const termFields = {
  amountCents: Type.Integer({ minimum: 1, description: 'Of each cycle, in hundredths of the currency.' }),
  currency: OneOf(CURRENCIES, {
    description: 'USD and EUR are payable in reais at the rate of the day of each charge.',
  }),
  interval: OneOf(INTERVALS, { description: 'How often a cycle begins.' }),
  day: Type.Integer({
    minimum: 1,
    maximum: LAST_DAY_OF_MONTH,
    description:
      'Of the month, where 31 is the last day of any; of the week for weekly and biweekly, from 1 (Monday) to 7 (Sunday).',
  }),
  cycles: Type.Integer({
    minimum: 1,
    maximum: MAX_CYCLES,
    description: 'How many cycles; without an end when absent.',
  }),
  methods: MethodsBody,
  automatic: Type.Boolean({
    description:
      'True: the bank of a customer who has a mandate (Pix Automático) pays each charge. Without one, or when it brings nothing, the customer pays by the methods, of which pix must be one.',
  }),
  daysAhead: Days(MAX_DAYS_AHEAD, 'How many days before its day a cycle is charged.'),
  trialDays: Days(MAX_TRIAL_DAYS, 'Days before the first cycle that cost nothing.'),
  description: Text({ maxLength: MAX_DESCRIPTION_LENGTH, description: 'What the payer reads on each charge.' }),
};

export const termViews = {
  amountCents: Type.Integer({ minimum: 1 }),
  currency: OneOf(CURRENCIES),
  interval: OneOf(INTERVALS),
  cycles: Type.Optional(Type.Integer({ minimum: 1 })),
  methods: Type.Array(OneOf(METHODS)),
  automatic: Type.Optional(Type.Boolean({ description: 'True: charges are collected by a mandate of the customer.' })),
  daysAhead: Type.Integer({ minimum: 0 }),
  pastDue: Type.Object({ afterDays, action, actionAfterDays }, { additionalProperties: false }),
  description: Type.String(),
  taxes: Type.Optional(TaxesBody),
  crypto: Type.Optional(
    Type.Object(cryptoFields, { additionalProperties: false, description: 'What each paid cycle buys.' }),
  ),
};

/** The columns of `pastDue`, as far as it is given. */
export function toPastDue({ afterDays: days, action: then, actionAfterDays: thenDays }: Static<typeof PastDueBody>) {
  return {
    ...(days !== undefined && { pastDueAfterDays: days }),
    ...(then !== undefined && { unpaidAction: then }),
    ...(thenDays !== undefined && { unpaidAfterDays: thenDays }),
  };
}

export function toTaxes({ fine, interest }: Static<typeof TaxesBody>) {
  return {
    ...(fine !== undefined && { finePercent: decimalText(fine) }),
    ...(interest !== undefined && { interestPercent: decimalText(interest) }),
  };
}
