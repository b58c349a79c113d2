// Routes of refunds of a charge.
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

type Limits = {
  /** How much of one charge, or of one instalment plan, the role support may refund. */
  readonly supportRefundLimitCents: number;
  /** Above it, of one charge or plan, a person must show a passkey again. */
  readonly passkeyRefundCents: number;
};

export type RefundRouteDeps = RefundDeps & Limits;

/** Refuses refunds of one charge or plan that exceed the caller's limits, including earlier ones. */
export function admitRefund(
  { supportRefundLimitCents, passkeyRefundCents, clock }: Limits & Pick<RefundDeps, 'clock'>,
  caller: Caller | undefined,
  backCents: bigint,
): void {
  if (caller?.session?.person.role === 'support' && backCents > supportRefundLimitCents) {
    throw new AppError(
      'refund_above_limit',
      `Your role may refund at most ${supportRefundLimitCents} cents of a charge.`,
    );
  }
  if (backCents > passkeyRefundCents) requireFreshLogin(caller, clock.now());
}

export function refundRoutes(app: FastifyInstance, deps: RefundRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/charges/:id/refunds',
    operationId: 'refundCharge',
    summary: 'Refund a charge',
    description:
      'Refunds a payment, a part of it, or the excess. The rail is asked in the background. When the refunds of the charge exceed `TRILHO_REFUND_PASSKEY_ABOVE` with it, a person must have shown a passkey within five minutes.',
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
        admit: backCents => admitRefund(deps, caller, backCents),
      });
      if (replayed) reply.header('idempotent-replayed', 'true');
      return refundView(refund);
    },
  });
}
