// Pix that the bank takes back without a refund request: at once, or by a dispute that is open until the bank ends it.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { CHARGE_EXAMPLE, ChargeView } from '../../api/charges.ts';
import { DISPUTE_EXAMPLE, DisputeView } from '../../api/disputes.ts';
import { OneOf } from '../../api/schemas.ts';
import { requireDispute } from '../../charges/disputes/require.ts';
import { disputeView } from '../../charges/disputes/view.ts';
import { unreturnedCents } from '../../charges/life.ts';
import { type ReturnDeps, recordReturns, recordReturnsOf } from '../../charges/refund/returns.ts';
import { requireCharge } from '../../charges/require.ts';
import { lockCharges } from '../../charges/store/charges.ts';
import { chargeView } from '../../charges/view.ts';
import { ok } from '../../http/server/answers.ts';
import { idOf } from '../../http/server/path.ts';
import { defineRoute } from '../../http/server/route.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { DISPUTE_CAUSES, type DisputeCause, type MoneyReturn } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';

const ReturnBody = Type.Object(
  {
    amountCents: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Everything left of the payment when absent.' }),
    ),
    cause: Type.Optional(
      OneOf(DISPUTE_CAUSES, { description: 'Why the bank of the payer asks for it: a dispute is opened.' }),
    ),
  },
  { $id: 'SandboxReturn', additionalProperties: false, examples: [{}, { cause: 'fraud' }] },
);
type ReturnBody = Static<typeof ReturnBody>;

const EndBody = Type.Object(
  {
    outcome: OneOf(['returned', 'kept'], { description: 'Whether the money went back or stays here.' }),
  },
  { $id: 'SandboxDisputeEnd', additionalProperties: false, examples: [{ outcome: 'kept' }] },
);

export const RETURN_SCHEMAS = [ReturnBody, EndBody];

export function returnRoutes(app: FastifyInstance, deps: ReturnDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/charges/:id/return',
    operationId: 'returnSandboxCharge',
    summary: 'Take a payment back',
    description:
      'Sandbox only. The bank takes the newest pix back, in full or in part, as it may after a fraud. With a `cause` it blocks the money, which opens a dispute that the bank has not decided.',
    tag: 'Sandbox',
    path: idOf('charge'),
    body: ReturnBody,
    answer: ok(ChargeView, 'The charge after the return', CHARGE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path, body }) => {
      await requireCharge(deps.db, path.id);
      await deps.db.transaction(tx => takeBack(deps, tx, path.id, body));
      return chargeView(deps.links, await requireCharge(deps.db, path.id));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/sandbox/disputes/:id/end',
    operationId: 'endSandboxDispute',
    summary: 'End a dispute at the bank',
    description:
      'Sandbox only. The bank reports whether the money went back or stays, also after a person has recorded an end. A report that says nothing new changes nothing.',
    tag: 'Sandbox',
    path: idOf('dispute'),
    body: EndBody,
    answer: ok(DisputeView, 'The dispute as it is then', DISPUTE_EXAMPLE),
    handle: async ({ path, body }) => {
      const dispute = await requireDispute(deps.db, path.id);
      const { chargeId, paymentReference, returnReference: reference, bankCode, amountCents } = dispute;
      const status = body.outcome === 'returned' ? 'DONE' : 'FAILED';
      const ended = { reference, amountCents, status, at: deps.clock.now(), reason: bankCode } as const;
      await recordReturns(deps, chargeId, paymentReference, [ended]);
      return disputeView(await requireDispute(deps.db, path.id));
    },
  });
}

/** Under the lock of the charge, so that concurrent requests take back no more than is left of a pix. */
async function takeBack(
  deps: ReturnDeps,
  tx: Sql,
  chargeId: string,
  { amountCents: askedCents, cause }: ReturnBody,
): Promise<void> {
  const [charge] = await lockCharges(tx, [chargeId]);
  const payment = charge?.payments.findLast(({ method }) => ABILITIES[method].canBeTakenBack);
  const leftCents = charge && payment ? unreturnedCents(charge, payment) : 0n;
  if (!charge || !payment || leftCents <= 0n) throw new AppError('wrong_state', 'There is no pix to take back.');
  const amountCents = askedCents === undefined ? leftCents : BigInt(askedCents);
  if (amountCents > leftCents) {
    const message = 'is more than the payment still holds';
    throw invalidRequest([{ path: 'amountCents', code: 'above_payment', message }]);
  }
  await recordReturnsOf(deps, tx, charge, payment, [
    cause === undefined ? takenBack(amountCents, deps.clock.now()) : blocked(amountCents, cause),
  ]);
}

function takenBack(amountCents: bigint, at: Date): MoneyReturn {
  const reason = 'The sandbox bank took it back after a fraud.';
  return { reference: randomUUID(), amountCents, status: 'DONE', at, reason };
}

function blocked(amountCents: bigint, cause: DisputeCause): MoneyReturn {
  const bankCode = BANK_CODES[cause];
  return { reference: randomUUID(), amountCents, status: 'PENDING', reason: bankCode, dispute: { cause, bankCode } };
}

const BANK_CODES: Readonly<Record<DisputeCause, string>> = {
  fraud: 'MED_FRAUDE',
  operational_failure: 'MED_OPERACIONAL',
  automatic_pix: 'MED_PIX_AUTOMATICO',
  other: 'MED_OUTRA',
};
