// The abatement and the discounts of a charge, as requests and answers have them.
import { type Static, Type } from 'typebox';
import type { Fault } from '../lib/errors.ts';
import { type Discount, EARLY_DAYS, MAX_DISCOUNTS, type Reduction, type Reductions } from '../rails/reductions.ts';
import { decimalText } from './percents.ts';
import { Day, OneOf } from './schemas.ts';

const howMuch = {
  amountCents: Type.Optional(Type.Integer({ minimum: 1, description: 'Hundredths of the currency. Or percent.' })),
  percent: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      exclusiveMaximum: 100,
      description: 'Of the amount; of a discount, of what the abatement leaves. Truncated to cents.',
    }),
  ),
};

const AbatementBody = Type.Object(howMuch, {
  additionalProperties: false,
  description: 'Taken off whenever it is paid.',
});

const DiscountBody = Type.Object(
  {
    ...howMuch,
    until: Type.Optional(
      Day({
        description: 'The last day, in São Paulo; one that is not a banking day moves to the next. Or perDay.',
      }),
    ),
    perDay: Type.Optional(OneOf(EARLY_DAYS, { description: 'For each day before the due day.' })),
  },
  { additionalProperties: false },
);

export const reductionFields = {
  abatement: Type.Optional(AbatementBody),
  discounts: Type.Optional(
    Type.Array(DiscountBody, {
      minItems: 1,
      maxItems: MAX_DISCOUNTS,
      description:
        'For paying early: until up to three days, each later and less than the one before, or one for each day before the due day.',
    }),
  ),
};

type ReductionsBody = {
  readonly abatement?: Static<typeof AbatementBody> | undefined;
  readonly discounts?: readonly Static<typeof DiscountBody>[] | undefined;
};

/** What the schema cannot say: an amount or a percent, and a last day or each day, each time exactly one of the two. */
export function checkReductionForms({ given: { body } }: { readonly given: { readonly body: unknown } }): Fault[] {
  if (!isObject(body)) return [];
  const { abatement, discounts } = body;
  return [
    ...(isObject(abatement) ? checkOneOf(abatement, 'abatement', 'amountCents', 'percent') : []),
    ...(Array.isArray(discounts) ? discounts.slice(0, MAX_DISCOUNTS) : []).flatMap((discount, index) => {
      if (!isObject(discount)) return [];
      const path = `discounts[${index}]`;
      return [
        ...checkOneOf(discount, path, 'amountCents', 'percent'),
        ...checkOneOf(discount, path, 'until', 'perDay'),
      ];
    }),
  ];
}

function checkOneOf(object: object, path: string, one: string, other: string): Fault[] {
  if (!(one in object) && !(other in object)) {
    return [{ path: `${path}.${one}`, code: 'required', message: `is required, or ${other} instead` }];
  }
  if (!(one in object) || !(other in object)) return [];
  return [{ path: `${path}.${other}`, code: 'not_together', message: `must not come together with ${one}` }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Of a body whose forms are right; those that are not are left out. */
export function toReductions({ abatement, discounts }: ReductionsBody): Reductions {
  const reduction = abatement && toReduction(abatement);
  const read = discounts?.map(toDiscount);
  return {
    ...(reduction && { abatement: reduction }),
    ...(read?.every(discount => discount !== undefined) && { discounts: read }),
  };
}

function toReduction({ amountCents, percent }: Static<typeof AbatementBody>): Reduction | undefined {
  if (amountCents !== undefined) return { amountCents: BigInt(amountCents) };
  return percent === undefined ? undefined : { percent: decimalText(percent) };
}

function toDiscount({ until, perDay, ...howMuch }: Static<typeof DiscountBody>): Discount | undefined {
  const reduction = toReduction(howMuch);
  if (!reduction) return undefined;
  if (until !== undefined) return { until, ...reduction };
  return perDay === undefined ? undefined : { perDay, ...reduction };
}
