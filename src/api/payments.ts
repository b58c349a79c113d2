// Money that came: how it is reported, how it is shown, and money that no charge asked for.
import { type Static, Type } from 'typebox';
import { CAME_AFTER, PAYMENT_SOURCES, TIMINGS } from '../charges/charge.ts';
import { isReference } from '../charges/receive/payment-reference.ts';
import { LISTED_REASONS } from '../charges/unmatched/store.ts';
import type { Fault } from '../lib/errors.ts';
import { METHODS } from '../rails/methods/methods.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, Day, dateOf, OneOf, Ref, Text, Uuid } from './schemas.ts';

/** More than any instrument can ask for. */
export const MAX_CENTS = 999_999_999_999;

export const PaymentBody = Type.Object(
  {
    method: Type.Optional(OneOf(METHODS, { description: '`pix` when absent.' })),
    amountCents: Type.Integer({ minimum: 1, maximum: MAX_CENTS, description: 'Cents of reais, as received.' }),
    paidAt: Type.Optional(DateTime({ description: 'When it was paid; now when absent, never later than now.' })),
    reference: Text({
      description:
        "The bank's id of the payment, such as the endToEndId of a pix: the same one again changes nothing, in any case, in full-width letters, with more spaces or with invisible characters.",
    }),
    isAnother: Type.Optional(
      Type.Boolean({
        description:
          'True when you know that it is another payment than one of the same amount that the charge has under another reference. Without it such a report is a 409 `possible_duplicate`.',
      }),
    ),
  },
  {
    $id: 'NewPayment',
    additionalProperties: false,
    examples: [{ amountCents: 15_990, reference: 'E9999999920261210130000000000001' }],
  },
);

export const PaymentView = Type.Object(
  {
    id: Uuid(),
    method: OneOf(METHODS),
    amountCents: Type.Integer(),
    paidAt: DateTime(),
    timing: OneOf(TIMINGS),
    isRepeat: Type.Boolean({ description: 'True for every payment of a charge but its first.' }),
    cameAfter: Type.Optional(OneOf(CAME_AFTER, { description: 'What had ended the method before the money came.' })),
    source: OneOf(PAYMENT_SOURCES, { description: 'Who reported it.' }),
    reference: Type.String({ description: "The bank's id of the payment." }),
    feeCents: Type.Optional(Type.Integer({ description: 'What the bank kept of it, where the bank tells.' })),
    discountCents: Type.Optional(
      Type.Integer({ description: 'The discount that the bank gave, where the bank tells.' }),
    ),
    abatementCents: Type.Optional(
      Type.Integer({ description: 'The abatement that the bank took off, where the bank tells.' }),
    ),
    creditDay: Type.Optional(Day({ description: 'The day on which the bank credits it, where the bank tells.' })),
    channel: Type.Optional(
      Type.Object(
        { code: Type.String(), words: Type.String() },
        { additionalProperties: false, description: 'By which way a boleto was paid, where the bank tells.' },
      ),
    ),
  },
  { $id: 'Payment', additionalProperties: false },
);

const { page, pageSize } = pageParameters;
export const UnmatchedQuery = Type.Object({ page, pageSize }, { additionalProperties: false });

export const UnmatchedPayment = Type.Object(
  {
    reference: Type.String(),
    postedAt: DateTime({ description: 'When it was paid; of what cannot be read, when it was seen.' }),
    amountCents: Type.Optional(Type.Integer({ description: 'Absent where it cannot be read.' })),
    txid: Type.Optional(Type.String()),
    chargeId: Type.Optional(Uuid({ description: 'The charge of the txid.' })),
    words: Type.String({ description: 'What the bank wrote beside it, or why it is kept.' }),
    reason: OneOf(LISTED_REASONS, {
      description:
        'Why it is kept: it fits no charge, it may be money that is known already, it is money that came back, or a bank lists a payment, or a return of one, that cannot be read. The last leaves the list when the bank shows it readably.',
    }),
    duplicateOf: Type.Optional(
      Type.String({ description: 'The reference of the payment, recorded or unmatched, that it may be.' }),
    ),
    returnedCents: Type.Optional(
      Type.Integer({ description: 'What the bank has sent back of it to the payer; such money pays no charge.' }),
    ),
    decidedAt: Type.Optional(
      DateTime({ description: 'When it was dismissed or recorded for a charge; the list leaves it out since.' }),
    ),
  },
  { $id: 'UnmatchedPayment', additionalProperties: false },
);

export const UnmatchedPage = Type.Object(
  { payments: Type.Array(Ref(UnmatchedPayment)), ...pageCounts },
  { $id: 'UnmatchedPage', additionalProperties: false },
);

export const DismissalBody = Type.Object(
  { reference: Text({ description: 'The reference of an unmatched payment.' }) },
  { $id: 'Dismissal', additionalProperties: false, examples: [{ reference: '20261210001' }] },
);

const UNMATCHED: Static<typeof UnmatchedPayment> = {
  reference: '20261210001',
  postedAt: '2026-12-10T15:00:00.000Z',
  amountCents: 5_000,
  words: 'PIX RECEBIDO',
  reason: 'no_match',
};
export const DISMISSED_EXAMPLE = { ...UNMATCHED, decidedAt: '2026-12-11T09:00:00.000Z' };

export const UNMATCHED_EXAMPLE: Static<typeof UnmatchedPage> = {
  payments: [UNMATCHED],
  ...ONE_PAGE,
};

export const PAYMENT_SCHEMAS = [PaymentBody, PaymentView, UnmatchedPayment, UnmatchedPage, DismissalBody];

/** What the schema cannot say: money is not paid later than now. */
export function checkPaidAt(path: string, paidAt: string | undefined, now: Date): Fault[] {
  if (paidAt === undefined || dateOf(paidAt) <= now) return [];
  return [{ path, code: 'in_the_future', message: 'must not be later than now' }];
}

/** What the schema cannot say: in its one spelling a reference has 1 to 255 characters. */
export function checkReference(path: string, reference: string | undefined): Fault[] {
  if (reference === undefined || isReference(reference)) return [];
  return [{ path, code: 'not_a_reference', message: 'must have 1 to 255 characters that can be seen' }];
}
