// POST /sandbox/charges/{id}/return: the bank takes a pix back without a refund request, for example after a fraud.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { CHARGE_EXAMPLE, ChargeView } from '../../api/charges.ts';
import { unreturnedCents } from '../../charges/life.ts';
import { type ReturnDeps, recordReturnsOf } from '../../charges/refund/returns.ts';
import { requireCharge } from '../../charges/require.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import { chargeView } from '../../charges/view.ts';
import { ok } from '../../http/server/answers.ts';
import { idOf } from '../../http/server/path.ts';
import { defineRoute } from '../../http/server/route.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import type { Sql } from '../../storage/database.ts';

const ReturnBody = Type.Object(
  {
    amountCents: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Everything left of the payment when absent.' }),
    ),
  },
  { $id: 'SandboxReturn', additionalProperties: false, examples: [{}] },
);

export const RETURN_SCHEMAS = [ReturnBody];

export function returnRoutes(app: FastifyInstance, deps: ReturnDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/charges/:id/return',
    operationId: 'returnSandboxCharge',
    summary: 'Take a payment back',
    description: 'Sandbox only. The bank takes the newest pix back, in full or in part, as it may after a fraud.',
    tag: 'Sandbox',
    path: idOf('charge'),
    body: ReturnBody,
    answer: ok(ChargeView, 'The charge after the return', CHARGE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, body }) => {
      await requireCharge(deps.db, path.id);
      await deps.db.transaction(tx => takeBack(deps, tx, path.id, body.amountCents));
      return chargeView(deps.links, await requireCharge(deps.db, path.id));
    },
  });
}

/** Under the lock of the charge, so that concurrent requests take back no more than is left of a pix. */
async function takeBack(deps: ReturnDeps, tx: Sql, chargeId: string, askedCents: number | undefined): Promise<void> {
  const [charge] = await lockCharges(tx, [chargeId]);
  const payment = charge?.payments.findLast(({ method }) => ABILITIES[method].canBeTakenBack);
  const leftCents = charge && payment ? unreturnedCents(charge, payment) : 0n;
  if (!charge || !payment || leftCents <= 0n) throw new AppError('wrong_state', 'There is no pix to take back.');
  const amountCents = askedCents === undefined ? leftCents : BigInt(askedCents);
  if (amountCents > leftCents) {
    const message = 'is more than the payment still holds';
    throw invalidRequest([{ path: 'amountCents', code: 'above_payment', message }]);
  }
  const reason = 'The sandbox bank took it back after a fraud.';
  const taken = { reference: randomUUID(), amountCents, status: 'DONE', at: deps.clock.now(), reason } as const;
  await recordReturnsOf(deps, tx, charge, payment, [taken]);
}
