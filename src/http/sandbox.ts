// What only a sandbox has: a payer that pays when told to, and the time machine.
import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { PayDeps } from '../charges/pay.ts';
import { recordPayment } from '../charges/pay.ts';
import { chargeView } from '../charges/view.ts';
import { type TravelDeps, travelTo } from '../jobs/travel.ts';
import { addDuration, LAST_MOMENT_MS, parseDuration, parseRfc3339 } from '../lib/date-times.ts';
import { type Fault, invalidRequest } from '../lib/errors.ts';
import { METHODS } from '../rails/rail.ts';
import { chargeParams, requireChargeId } from './charge-params.ts';
import { VIEW_EXAMPLE } from './charge-schemas.ts';
import { checkPaidAt, MAX_CENTS } from './payments.ts';
import { type DeepPartial, reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf } from './schemas.ts';

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
    at: Type.Optional(DateTime({ description: 'When the payer paid; now when absent, never later than now.' })),
  },
  { $id: 'SandboxPayment', additionalProperties: false, examples: [{ method: 'pix' }] },
);

const ClockBody = Type.Object(
  {
    advance: Type.Optional(Type.String({ format: 'duration', description: 'How far forward: `P3D`, `PT2H30M`.' })),
    to: Type.Optional(DateTime({ description: 'To which moment.' })),
  },
  { $id: 'ClockMove', additionalProperties: false, examples: [{ advance: 'P3D' }] },
);

const ClockView = Type.Object({ now: DateTime() }, { $id: 'Clock', additionalProperties: false });
const CLOCK_EXAMPLE = { now: '2026-12-14T12:00:00.000Z' };

const readPay = reader(PayBody, 'body');
const readMove = reader(ClockBody, 'body');

export function sandboxRoutes(app: FastifyInstance, deps: PayDeps & TravelDeps): void {
  for (const schema of [PayBody, ClockBody, ClockView]) app.addSchema(schema);

  app.post<{ Params: { id: string } }>(
    '/sandbox/charges/:id/pay',
    {
      config: { public: true },
      schema: {
        operationId: 'paySandboxCharge',
        summary: 'Pay a charge as its payer would',
        description: 'Sandbox only. Pay twice, too much, too little or late, and see what becomes of it.',
        tags: ['Sandbox'],
        params: chargeParams,
        body: Type.Unsafe({ $ref: 'SandboxPayment#' }),
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Charge#' }), 'The charge as it is then', VIEW_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found', 'wrong_state'),
        },
      },
    },
    async request => {
      const { clean, faults } = readPay(request.body);
      await deps.clock.refresh();
      const paidAt = clean.at === undefined ? deps.clock.now() : parseRfc3339(clean.at);
      const allFaults = [...faults, ...checkPaidAt(paidAt, deps.clock.now(), 'at')];
      if (allFaults.length > 0 || !paidAt) throw invalidRequest(allFaults);
      const { charge } = await recordPayment(deps, {
        chargeId: await requireChargeId(deps.db, request),
        method: clean.method!,
        ...(clean.amountCents !== undefined && { amountCents: BigInt(clean.amountCents) }),
        paidAt,
        source: 'sandbox',
        reference: randomUUID(),
      });
      return chargeView(charge);
    },
  );

  const clockResponses = {
    200: jsonResponse(Type.Unsafe({ $ref: 'Clock#' }), 'Business time', CLOCK_EXAMPLE),
  };
  app.get(
    '/sandbox/clock',
    {
      config: { public: true },
      schema: {
        operationId: 'getSandboxClock',
        summary: 'Read the time',
        tags: ['Sandbox'],
        response: { ...clockResponses, ...problemResponses('malformed_request') },
      },
    },
    async () => {
      await deps.clock.refresh();
      return { now: deps.clock.now().toISOString() };
    },
  );

  app.post(
    '/sandbox/clock',
    {
      config: { public: true },
      schema: {
        operationId: 'moveSandboxClock',
        summary: 'Move the time forward',
        description: 'Does, in order, all that becomes due on the way, and answers when it is done.',
        tags: ['Sandbox'],
        body: Type.Unsafe({ $ref: 'ClockMove#' }),
        response: { ...clockResponses, ...problemResponses('invalid_request', 'malformed_request', 'wrong_state') },
      },
    },
    async request => {
      const { clean, faults } = readMove(request.body);
      await deps.clock.refresh();
      const target = targetOf(clean, deps.clock.now());
      const allFaults = faults.length > 0 ? faults : checkMove(clean, target);
      if (allFaults.length > 0 || !target) throw invalidRequest(allFaults);
      return { now: (await travelTo(deps, target)).toISOString() };
    },
  );
}

/** Time travel ends here: calendars are known so far, and nothing leads back. */
const LAST_DAY = new Date('2199-12-31T23:59:59Z');

function targetOf({ advance, to }: DeepPartial<Static<typeof ClockBody>>, now: Date): Date | undefined {
  if ((advance === undefined) === (to === undefined)) return undefined;
  if (to !== undefined) return parseRfc3339(to);
  const duration = parseDuration(advance ?? '');
  return duration && (addDuration(now, duration) ?? new Date(LAST_MOMENT_MS));
}

function checkMove({ advance, to }: DeepPartial<Static<typeof ClockBody>>, target: Date | undefined): Fault[] {
  const path = to === undefined ? 'advance' : 'to';
  if (target && target > LAST_DAY) return [{ path, code: 'too_far', message: 'must not lead past the year 2199' }];
  if ((advance === undefined) !== (to === undefined)) return [];
  return [{ path: 'advance', code: 'required', message: 'or to is required, and only one of them' }];
}
