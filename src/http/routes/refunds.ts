// Refunds of a charge.
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../accounts/authenticate.ts';
import { checkRefund, REFUND_EXAMPLE, RefundBody, RefundView } from '../../api/refunds.ts';
import { type RefundDeps, requestRefund } from '../../charges/refund.ts';
import { requireChargeOf } from '../../charges/require.ts';
import { refundView } from '../../charges/view.ts';
import { created, REPLAYED } from '../server/answers.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

export type RefundRouteDeps = RefundDeps & {
  /** What somebody of the role support may send back of one charge. */
  readonly supportRefundLimitCents: number;
};

export function refundRoutes(app: FastifyInstance, deps: RefundRouteDeps): void {
  const limitOf = (caller: Caller | undefined) =>
    caller?.session?.person.role === 'support' ? { limitCents: BigInt(deps.supportRefundLimitCents) } : {};

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/refunds',
    access: 'refunds:write',
    operationId: 'refundCharge',
    summary: 'Refund a charge',
    description:
      'Sends back the whole of a payment, a part of it, or what was paid too much. The rail is asked in the background.',
    tag: 'Charges',
    path: idOf('charge'),
    takesIdempotencyKey: true,
    body: RefundBody,
    check: ({ body }) => checkRefund(body),
    answer: created(RefundView, 'The refund, still pending', REFUND_EXAMPLE, REPLAYED),
    problems: ['wrong_state', 'idempotency_key_reused'],
    handle: async ({ path, body, idempotencyKey, caller }, reply) => {
      const { amountCents, excess, paymentId } = body;
      await requireChargeOf(deps.db, path.id, caller?.accountId);
      const { refund, replayed } = await requestRefund(deps, {
        chargeId: path.id,
        amount: excess ? 'excess' : amountCents === undefined ? 'all' : BigInt(amountCents),
        ...(paymentId !== undefined && { paymentId }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...limitOf(caller),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return refundView(refund);
    },
  });
}
