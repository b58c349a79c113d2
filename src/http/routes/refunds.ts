// Refunds of a charge.
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../accounts/caller.ts';
import { checkRefund, REFUND_EXAMPLE, RefundBody, RefundView } from '../../api/refunds.ts';
import { type RefundDeps, requestRefund } from '../../charges/refund/refund.ts';
import { requireChargeOf } from '../../charges/require.ts';
import { refundView } from '../../charges/view.ts';
import { AppError } from '../../lib/errors.ts';
import { created, REPLAYED } from '../server/answers.ts';
import { requireFreshLogin } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

export type RefundRouteDeps = RefundDeps & {
  /** How much of one charge the role support may refund. */
  readonly supportRefundLimitCents: number;
  /** Above it, of one charge, a person shows a passkey again. */
  readonly passkeyRefundCents: number;
};

export function refundRoutes(app: FastifyInstance, deps: RefundRouteDeps): void {
  function admit(caller: Caller | undefined, backCents: bigint): void {
    const limitCents = deps.supportRefundLimitCents;
    if (caller?.session?.person.role === 'support' && backCents > limitCents) {
      throw new AppError('refund_above_limit', `Your role may send back ${limitCents} cents of a charge at most.`);
    }
    if (backCents > deps.passkeyRefundCents) requireFreshLogin(caller, deps.clock.now());
  }

  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/refunds',
    operationId: 'refundCharge',
    summary: 'Refund a charge',
    description:
      'Sends back the whole of a payment, a part of it, or what was paid too much. The rail is asked in the background. When more than `TRILHO_REFUND_PASSKEY_ABOVE` of the charge goes back with it, a person needs a passkey of the last five minutes.',
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
        admit: backCents => admit(caller, backCents),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return refundView(refund);
    },
  });
}
