// The balance of several charges: those of a customer or of an instalment plan.
import { type Static, Type } from 'typebox';

const CountedSum = (description: string) =>
  Type.Object(
    { count: Type.Integer({ minimum: 0 }), amountCents: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false, description },
  );

export const Balance = (description: string) =>
  Type.Object(
    {
      open: CountedSum('Charges that can be paid, including overdue ones, without fines and interest.'),
      overdue: CountedSum('The overdue ones among them.'),
      missing: CountedSum('What is missing of partially paid charges without an open charge for the rest.'),
      paid: CountedSum('Payments received.'),
      refunded: CountedSum('Refunds and returns, except failed ones.'),
    },
    { additionalProperties: false, description },
  );

export const BALANCE_EXAMPLE: Static<ReturnType<typeof Balance>> = {
  open: { count: 2, amountCents: 31_980 },
  overdue: { count: 1, amountCents: 15_990 },
  missing: { count: 0, amountCents: 0 },
  paid: { count: 11, amountCents: 175_890 },
  refunded: { count: 0, amountCents: 0 },
};
