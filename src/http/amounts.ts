// GET /charges/{id}/amount: what is owed on a day, line by line.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AmountOwed } from '../charges/amount.ts';
import { owedOn } from '../charges/owed.ts';
import { civilDay } from '../lib/civil-days.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidRequest } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import { chargeParams, requireCharge } from './charge-params.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { Day, OneOf } from './schemas.ts';

const AmountQuery = Type.Object(
  { on: Type.Optional(Day({ description: 'A day in São Paulo; today when absent.' })) },
  { additionalProperties: false },
);

const MethodAmount = Type.Object(
  {
    dueDay: Day(),
    effectiveDueDay: Day({ description: 'The last day without fine and interest.' }),
    lastPayableDay: Day(),
    payable: Type.Boolean({ description: 'Whether the rail would still take it that day.' }),
    lateDays: Type.Integer({ minimum: 0, description: 'Calendar days that interest is counted over.' }),
    lines: Type.Array(
      Type.Object(
        {
          kind: OneOf(['original', 'fine', 'interest']),
          amountCents: Type.Integer(),
          rate: Type.Optional(Type.String({ description: 'Percent, exact.' })),
          days: Type.Optional(Type.Integer()),
          rule: Type.String(),
          explanation: Type.String(),
        },
        { additionalProperties: false },
      ),
    ),
    totalCents: Type.Integer({ description: 'In reais; each part is truncated to cents.' }),
  },
  { $id: 'MethodAmount', additionalProperties: false },
);
type MethodAmount = Static<typeof MethodAmount>;

const ref = Type.Optional(Type.Unsafe<MethodAmount>({ $ref: 'MethodAmount#' }));
const AmountView = Type.Object(
  { on: Day(), currency: Type.Literal('BRL'), boleto: ref, pix: ref },
  { $id: 'Amount', additionalProperties: false },
);

const EXAMPLE: Static<typeof AmountView> = {
  on: '2026-12-15',
  currency: 'BRL',
  pix: {
    dueDay: '2026-12-10',
    effectiveDueDay: '2026-12-10',
    lastPayableDay: '2027-01-11',
    payable: true,
    lateDays: 5,
    lines: [
      {
        kind: 'original',
        amountCents: 15_990,
        rule: 'asked_amount',
        explanation: 'The amount the charge was made for.',
      },
      {
        kind: 'fine',
        amountCents: 319,
        rate: '2',
        rule: 'fine_once',
        explanation:
          '2 % of the amount, once, for paying after 2026-12-10, truncated to cents (Bacen Pix API 2.9.0, multa, modalidade 2).',
      },
    ],
    totalCents: 16_309,
  },
};

const readQuery = reader(AmountQuery, 'query');

export function amountRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly clock: Clock }): void {
  app.addSchema(MethodAmount);
  app.addSchema(AmountView);
  app.get<{ Params: { id: string } }>(
    '/charges/:id/amount',
    {
      config: { scope: 'charges:read' },
      schema: {
        operationId: 'getChargeAmount',
        summary: 'Read what is owed on a day',
        description: 'By each method, with the rule behind every line, equal to what the rail would take.',
        tags: ['Charges'],
        params: chargeParams,
        querystring: AmountQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Amount#' }), 'What is owed', EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const charge = await requireCharge(deps.db, request);
      await deps.clock.refresh();
      const on = clean.on ?? civilDay(deps.clock.now());
      const offered = charge.ways.filter(({ status }) => status !== 'FAILED');
      const amounts = offered.map(({ method }) => [method, methodAmount(owedOn(charge, method, on))]);
      return { on, currency: 'BRL', ...Object.fromEntries(amounts) };
    },
  );
}

function methodAmount({ on: _on, method: _method, lines, totalCents, ...rest }: AmountOwed): MethodAmount {
  const shown = lines.map(line => ({ ...line, amountCents: Number(line.amountCents) }));
  return { ...rest, lines: shown, totalCents: Number(totalCents) };
}
