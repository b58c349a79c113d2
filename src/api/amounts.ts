// The amount due on a day, line by line.
import { type Static, Type } from 'typebox';
import { AMOUNT_KINDS, AMOUNT_RULES } from '../charges/amount.ts';
import { byMethod } from '../rails/methods/methods.ts';
import { Day, OneOf, Ref } from './schemas.ts';

export const AmountQuery = Type.Object(
  { on: Type.Optional(Day({ description: 'A day in São Paulo; today when absent.' })) },
  { additionalProperties: false },
);

const MethodAmount = Type.Object(
  {
    dueDay: Day(),
    effectiveDueDay: Day({ description: 'The last day without fine and interest.' }),
    lastPayableDay: Day(),
    payable: Type.Boolean({ description: 'Whether the rail would still accept a payment that day.' }),
    lateDays: Type.Integer({ minimum: 0, description: 'Calendar days of interest.' }),
    lines: Type.Array(
      Type.Object(
        {
          kind: OneOf(AMOUNT_KINDS),
          amountCents: Type.Integer({ description: 'Below zero where it is taken off.' }),
          rate: Type.Optional(Type.String({ description: 'Percent, exact.' })),
          days: Type.Optional(Type.Integer()),
          until: Type.Optional(Day({ description: 'The last day of a discount, a banking day.' })),
          rule: OneOf(AMOUNT_RULES),
          explanation: Type.String(),
        },
        { additionalProperties: false },
      ),
    ),
    totalCents: Type.Integer({ description: 'In reais; each part is truncated to cents.' }),
  },
  { $id: 'MethodAmount', additionalProperties: false },
);

export const AmountView = Type.Object(
  { on: Day(), currency: Type.Literal('BRL'), ...byMethod(() => Type.Optional(Ref(MethodAmount))) },
  { $id: 'Amount', additionalProperties: false },
);

export const AMOUNT_EXAMPLE: Static<typeof AmountView> = {
  on: '2026-12-15',
  currency: 'BRL',
  pix: {
    dueDay: '2026-12-10',
    effectiveDueDay: '2026-12-10',
    lastPayableDay: '2027-01-11',
    payable: true,
    lateDays: 5,
    lines: [
      {
        kind: 'original',
        amountCents: 15_990,
        rule: 'asked_amount',
        explanation: 'The original amount of the charge.',
      },
      {
        kind: 'fine',
        amountCents: 319,
        rate: '2',
        rule: 'fine_once',
        explanation:
          '2 % of the amount, once, for paying after 2026-12-10, truncated to cents (Bacen Pix API 2.9.0, multa, modalidade 2).',
      },
    ],
    totalCents: 16_309,
  },
};

export const AMOUNT_SCHEMAS = [MethodAmount, AmountView];
