// Payments on the wire: reporting, showing, and unmatched money.
import { type Static, Type } from 'typebox';
import { CAME_AFTER, PAYMENT_SOURCES, TIMINGS } from '../charges/charge.ts';
import { isReference } from '../charges/receive/payment-reference.ts';
import { LISTED_REASONS } from '../charges/unmatched/store.ts';
import type { Fault } from '../lib/errors.ts';
import { METHODS } from '../rails/methods/methods.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { DateTime, Day, dateOf, OneOf, Ref, Text, Uuid } from './schemas.ts';

/** More than any instrument can carry. */
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
          'True to record it even though the charge has a payment of the same amount under another reference. Without it, such a request is a 409 `possible_duplicate`.',
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
    cameAfter: Type.Optional(OneOf(CAME_AFTER, { description: 'How the method had ended before the money came.' })),
    source: OneOf(PAYMENT_SOURCES, { description: 'Who reported it.' }),
    reference: Type.String({ description: "The bank's id of the payment." }),
    feeCents: Type.Optional(Type.Integer({ description: 'The fee of the bank, if reported.' })),
    discountCents: Type.Optional(
      Type.Integer({ description: 'The discount that the bank gave, where the bank tells.' }),
    ),
    abatementCents: Type.Optional(
      Type.Integer({ description: 'The abatement that the bank took off, where the bank tells.' }),
    ),
    creditDay: Type.Optional(Day({ description: 'The day on which the bank credits it, if reported.' })),
    channel: Type.Optional(
      Type.Object(
        { code: Type.String(), words: Type.String() },
        { additionalProperties: false, description: 'The channel by which a boleto was paid, if reported.' },
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
    postedAt: DateTime({ description: 'When it was paid; if that cannot be read, when it was seen.' }),
    amountCents: Type.Optional(Type.Integer({ description: 'Absent when it cannot be read.' })),
    txid: Type.Optional(Type.String()),
    chargeId: Type.Optional(Uuid({ description: 'The charge of the txid.' })),
    words: Type.String({ description: "The bank's text, or why it is kept." }),
    reason: OneOf(LISTED_REASONS, {
      description:
        'Why it is kept: it matches no charge, it may be a duplicate, it is money that came back, or a bank lists a payment or a return that cannot be read. The last leaves the list once it can be read.',
    }),
    duplicateOf: Type.Optional(
      Type.String({
        description: 'The reference of the recorded or unmatched payment of which it may be a duplicate.',
      }),
    ),
    returnedCents: Type.Optional(
      Type.Integer({ description: 'What the bank has returned of it to the payer; returned money pays no charge.' }),
    ),
    decidedAt: Type.Optional(
      DateTime({ description: 'When it was dismissed or recorded for a charge; since then it is not in the list.' }),
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

/** What the schema cannot express: a payment is not in the future. */
export function checkPaidAt(path: string, paidAt: string | undefined, now: Date): Fault[] {
  if (paidAt === undefined || dateOf(paidAt) <= now) return [];
  return [{ path, code: 'in_the_future', message: 'must not be later than now' }];
}

/** What the schema cannot express: a normalised reference has 1 to 255 characters. */
export function checkReference(path: string, reference: string | undefined): Fault[] {
  if (reference === undefined || isReference(reference)) return [];
  return [{ path, code: 'not_a_reference', message: 'must have 1 to 255 visible characters' }];
}
