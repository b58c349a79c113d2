// Refunds and returns on the wire.
import { type Static, Type } from 'typebox';
import { REFUND_KINDS, REFUND_STATUSES } from '../charges/charge.ts';
import type { Fault } from '../lib/errors.ts';
import { DateTime, OneOf, Uuid } from './schemas.ts';
import type { DeepPartial } from './wire.ts';

export const RefundBody = Type.Object(
  {
    amountCents: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Cents of reais; all that is left when absent.' }),
    ),
    excess: Type.Optional(Type.Literal(true, { description: 'Only the excess over the amount due.' })),
    paymentId: Type.Optional(
      Uuid({ description: 'The payment to refund; when absent, the newest that has enough left.' }),
    ),
  },
  { $id: 'NewRefund', additionalProperties: false, examples: [{ amountCents: 5_000 }] },
);
export type RefundBody = Static<typeof RefundBody>;

/** What the schema cannot express: either an amount or the excess. */
export function checkRefund({ amountCents, excess }: DeepPartial<RefundBody>): Fault[] {
  if (amountCents === undefined || excess === undefined) return [];
  return [{ path: 'excess', code: 'not_allowed', message: 'must not be combined with amountCents' }];
}

export const RefundView = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(REFUND_KINDS, {
      description: '`refund`: requested here. `return`: the bank took the money back, for example after a fraud.',
    }),
    paymentId: Uuid(),
    amountCents: Type.Integer(),
    status: OneOf(REFUND_STATUSES),
    reason: Type.Optional(Type.String({ description: 'Why it failed, or why the bank took the money back.' })),
    disputeId: Type.Optional(Uuid({ description: 'The dispute, when the bank of the payer asked for the money.' })),
    createdAt: DateTime(),
  },
  { $id: 'Refund', additionalProperties: false },
);

export const REFUND_EXAMPLE: Static<typeof RefundView> = {
  id: '019a9c11-7a30-7c55-8b1d-2f6e4d3c2b1a',
  kind: 'refund',
  paymentId: '019a9c10-1b20-7f43-9a0c-5e4d3c2b1a09',
  amountCents: 5_000,
  status: 'PENDING',
  createdAt: '2026-12-11T12:00:00.000Z',
};

export const REFUND_SCHEMAS = [RefundBody, RefundView];
