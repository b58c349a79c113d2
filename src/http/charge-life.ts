// POST /charges/{id}/cancel and POST /charges/{id}/refunds.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { cancelCharge } from '../charges/cancel.ts';
import { askRefund, type RefundDeps } from '../charges/refund.ts';
import { chargeView, refundView } from '../charges/view.ts';
import { type Fault, invalidRequest } from '../lib/errors.ts';
import { chargeParams, requireChargeId } from './charge-params.ts';
import { VIEW_EXAMPLE } from './charge-schemas.ts';
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';

const RefundBody = Type.Object(
  {
    amountCents: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Cents of reais; all that is left when absent.' }),
    ),
    excess: Type.Optional(Type.Literal(true, { description: 'Only what came above what was owed.' })),
    paymentId: Type.Optional(
      Type.String({ format: 'uuid', description: 'Out of this payment; the newest that holds enough when absent.' }),
    ),
  },
  { $id: 'NewRefund', additionalProperties: false, examples: [{ amountCents: 5_000 }] },
);

const REFUND_EXAMPLE = {
  id: '019a9c11-7a30-7c55-8b1d-2f6e4d3c2b1a',
  paymentId: '019a9c10-1b20-7f43-9a0c-5e4d3c2b1a09',
  amountCents: 5_000,
  status: 'PENDING',
  createdAt: '2026-12-11T12:00:00.000Z',
};

const readRefund = reader(RefundBody, 'body');
const readNothing = reader(Type.Object({}, { additionalProperties: false }), 'body');

export function chargeLifeRoutes(app: FastifyInstance, deps: RefundDeps): void {
  app.addSchema(RefundBody);
  app.post<{ Params: { id: string } }>(
    '/charges/:id/cancel',
    {
      config: { scope: 'charges:write' },
      schema: {
        operationId: 'cancelCharge',
        summary: 'Cancel a charge',
        description: 'Withdraws every method that is still open. Canceling twice is canceling once.',
        tags: ['Charges'],
        params: chargeParams,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Charge#' }), 'The charge, canceled', {
            ...VIEW_EXAMPLE,
            state: 'CANCELED',
          }),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found', 'wrong_state'),
        },
      },
    },
    async request => {
      const { faults } = readNothing(request.body ?? {});
      if (faults.length > 0) throw invalidRequest(faults);
      return chargeView(await cancelCharge(deps, await requireChargeId(deps.db, request)));
    },
  );

  app.post<{ Params: { id: string } }>(
    '/charges/:id/refunds',
    {
      config: { scope: 'refunds:write' },
      schema: {
        operationId: 'refundCharge',
        summary: 'Refund a charge',
        description:
          'Sends back the whole of a payment, a part of it, or what came too much. Carried out in the background.',
        tags: ['Charges'],
        params: chargeParams,
        headers: IdempotencyHeaders,
        body: Type.Unsafe({ $ref: 'NewRefund#' }),
        response: {
          201: jsonResponse(Type.Unsafe({ $ref: 'Refund#' }), 'The refund, promised', REFUND_EXAMPLE, {
            'Idempotent-Replayed': { description: '`true` when an earlier request made it.', type: 'string' },
          }),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'wrong_state',
            'idempotency_key_reused',
          ),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults: bodyFaults } = readRefund(request.body ?? {});
      const key = readIdempotencyKey(request);
      const faults = [...key.faults, ...bodyFaults, ...checkRefund(clean)];
      if (faults.length > 0) throw invalidRequest(faults);
      const { refund, replayed } = await askRefund(deps, {
        chargeId: await requireChargeId(deps.db, request),
        amount: clean.excess ? 'excess' : clean.amountCents === undefined ? 'all' : BigInt(clean.amountCents),
        ...(clean.paymentId !== undefined && { paymentId: clean.paymentId }),
        ...(key.value !== undefined && { idempotencyKey: key.value }),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.code(201);
      return refundView(refund);
    },
  );
}

function checkRefund({ amountCents, excess }: Partial<Static<typeof RefundBody>>): Fault[] {
  if (amountCents === undefined || excess === undefined) return [];
  return [{ path: 'excess', code: 'not_allowed', message: 'must not stand beside amountCents' }];
}
