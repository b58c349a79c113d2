// POST /sandbox/charges/{id}/pay: pays a charge as its payer would.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CHARGE_EXAMPLE, ChargeView } from '../../api/charges.ts';
import { checkPaidAt, MAX_CENTS } from '../../api/payments.ts';
import { DateTime, dateOf, OneOf } from '../../api/schemas.ts';
import type { Links } from '../../charges/links/links.ts';
import { type PayDeps, recordPayment } from '../../charges/receive/pay.ts';
import { chargeView } from '../../charges/view.ts';
import { ok } from '../../http/server/answers.ts';
import { idOf } from '../../http/server/path.ts';
import { defineRoute } from '../../http/server/route.ts';
import { METHODS } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import type { SandboxClock } from '../clock/sandbox-clock.ts';

const PayBody = Type.Object(
  {
    method: OneOf(METHODS),
    amountCents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_CENTS,
        description: 'Cents of reais; what is owed that day when absent.',
      }),
    ),
    at: Type.Optional(DateTime({ description: 'When it was paid; now when absent, never later than now.' })),
  },
  { $id: 'SandboxPayment', additionalProperties: false, examples: [{ method: 'pix' }] },
);

export const PAY_SCHEMAS = [PayBody];

export type PayRouteDeps = PayDeps & { readonly db: Sql; readonly links: Links; readonly clock: SandboxClock };

export function payRoutes(app: FastifyInstance, deps: PayRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/charges/:id/pay',
    operationId: 'paySandboxCharge',
    summary: 'Pay a charge',
    description: 'Sandbox only. Pays as a payer would: on time or late, once or twice, too much or too little.',
    tag: 'Sandbox',
    path: idOf('charge'),
    body: PayBody,
    check: async ({ body }) => {
      await deps.clock.refresh();
      return checkPaidAt('at', body.at, deps.clock.now());
    },
    answer: ok(ChargeView, 'The charge after the payment', CHARGE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, body }) => {
      const { method, amountCents, at } = body;
      const { charge } = await recordPayment(deps, {
        chargeId: path.id,
        method,
        ...(amountCents !== undefined && { amountCents: BigInt(amountCents) }),
        ...(at !== undefined && { paidAt: dateOf(at) }),
        source: 'sandbox',
        reference: randomUUID(),
      });
      return chargeView(deps.links, charge);
    },
  });
}
