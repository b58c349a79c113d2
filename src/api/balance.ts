// What is owed and was paid of several charges: those of a customer, those of an instalment plan.
import { type Static, Type } from 'typebox';

const CountedSum = (description: string) =>
  Type.Object(
    { count: Type.Integer({ minimum: 0 }), amountCents: Type.Integer({ minimum: 0 }) },
    { additionalProperties: false, description },
  );

export const Balance = (description: string) =>
  Type.Object(
    {
      open: CountedSum('Charges that can be paid, the overdue ones included, without fines and interest.'),
      overdue: CountedSum('Those of them that are overdue.'),
      missing: CountedSum('Charges that were paid in part and have no open charge for the rest: what is missing.'),
      paid: CountedSum('Payments that came.'),
      refunded: CountedSum('Refunds and returns, those that failed excepted.'),
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
