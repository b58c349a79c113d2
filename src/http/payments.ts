// POST /charges/{id}/payments: an operator tells of money. GET /payments/unmatched: money that no charge asked for.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { type PayDeps, recordPayment } from '../charges/pay.ts';
import { readUnmatched } from '../charges/store-money.ts';
import { chargeView } from '../charges/view.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { type Fault, invalidRequest } from '../lib/errors.ts';
import { countPages } from '../lib/paging.ts';
import { METHODS } from '../rails/rail.ts';
import { chargeParams, requireChargeId } from './charge-params.ts';
import { VIEW_EXAMPLE } from './charge-schemas.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf, Text } from './schemas.ts';

/** More than any instrument can ask for. */
export const MAX_CENTS = 999_999_999_999;

const PaymentBody = Type.Object(
  {
    method: Type.Optional(OneOf(METHODS, { description: '`pix` when absent.' })),
    amountCents: Type.Integer({ minimum: 1, maximum: MAX_CENTS, description: 'Cents of reais, as they came.' }),
    paidAt: Type.Optional(DateTime({ description: 'When it was paid; now when absent, never later than now.' })),
    reference: Text({
      description: "The bank's own id, such as the endToEndId of a pix: the same one again changes nothing.",
    }),
  },
  {
    $id: 'NewPayment',
    additionalProperties: false,
    examples: [{ amountCents: 15_990, reference: 'E9999999920261210130000000000001' }],
  },
);

const { page, pageSize } = pageParameters;
const UnmatchedQuery = Type.Object({ page, pageSize }, { additionalProperties: false });

const UnmatchedPage = Type.Object(
  {
    payments: Type.Array(
      Type.Object(
        {
          reference: Type.String(),
          postedAt: DateTime(),
          amountCents: Type.Integer(),
          txid: Type.Optional(Type.String()),
          words: Type.String({ description: 'What the bank wrote beside it.' }),
        },
        { additionalProperties: false },
      ),
    ),
    ...pageCounts,
  },
  { $id: 'UnmatchedPage', additionalProperties: false },
);

const UNMATCHED_EXAMPLE: Static<typeof UnmatchedPage> = {
  payments: [
    { reference: '20261210001', postedAt: '2026-12-10T15:00:00.000Z', amountCents: 5_000, words: 'PIX RECEBIDO' },
  ],
  total: 1,
  totalPages: 1,
  currentPage: 1,
  hasMore: false,
};

const readBody = reader(PaymentBody, 'body');
const readQuery = reader(UnmatchedQuery, 'query');

export function paymentRoutes(app: FastifyInstance, deps: PayDeps & { readonly pageSize: number }): void {
  app.addSchema(PaymentBody);
  app.addSchema(UnmatchedPage);
  app.post<{ Params: { id: string } }>(
    '/charges/:id/payments',
    {
      config: { scope: 'payments:write' },
      schema: {
        operationId: 'recordPayment',
        summary: 'Tell of a payment',
        description: 'For money that no bank tells us of, such as a pix to a static key.',
        tags: ['Charges'],
        params: chargeParams,
        body: Type.Unsafe({ $ref: 'NewPayment#' }),
        response: {
          201: jsonResponse(Type.Unsafe({ $ref: 'Charge#' }), 'The charge as it is then', VIEW_EXAMPLE, {
            'Idempotent-Replayed': { description: '`true` when this reference was known.', type: 'string' },
          }),
          ...problemResponses('invalid_request', 'malformed_request', 'not_found', 'wrong_state', 'reference_conflict'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readBody(request.body);
      await deps.clock.refresh();
      const now = deps.clock.now();
      const paidAt = clean.paidAt === undefined ? now : parseRfc3339(clean.paidAt);
      const allFaults = [...faults, ...checkPaidAt(paidAt, now)];
      if (allFaults.length > 0 || !paidAt) throw invalidRequest(allFaults);
      const { charge, isNew } = await recordPayment(deps, {
        chargeId: await requireChargeId(deps.db, request),
        method: clean.method ?? 'pix',
        amountCents: BigInt(clean.amountCents!),
        paidAt,
        source: 'operator',
        reference: clean.reference!,
      });
      if (!isNew) reply.header('idempotent-replayed', 'true');
      reply.code(201);
      return chargeView(charge);
    },
  );

  app.get(
    '/payments/unmatched',
    {
      config: { scope: 'payments:read' },
      schema: {
        operationId: 'listUnmatchedPayments',
        summary: 'List money that no charge asked for',
        description: 'What an imported statement holds and no charge recognises, newest first.',
        tags: ['Charges'],
        querystring: UnmatchedQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'UnmatchedPage#' }), 'A page of payments', UNMATCHED_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const query = toPageQuery(clean, deps.pageSize);
      const { receipts, total } = await readUnmatched(deps.db, query);
      const payments = receipts.map(({ amountCents, postedAt, ...rest }) => ({
        ...rest,
        amountCents: Number(amountCents),
        postedAt: postedAt.toISOString(),
      }));
      return { payments, ...countPages(total, query) };
    },
  );
}

export function checkPaidAt(paidAt: Date | undefined, now: Date, path = 'paidAt'): Fault[] {
  return paidAt && paidAt > now ? [{ path, code: 'in_the_future', message: 'must not be later than now' }] : [];
}
