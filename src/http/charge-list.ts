// GET /charges.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { CHARGE_STATES } from '../charges/charge.ts';
import { listCharges } from '../charges/list.ts';
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { accountOf } from './auth.ts';
import { type ChargeView, VIEW_EXAMPLE } from './charge-schemas.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { OneOf, Text } from './schemas.ts';

const ChargesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only charges of this account.' })),
    state: Type.Optional(OneOf(CHARGE_STATES, { description: 'Only charges in this state.' })),
    externalId: Type.Optional(Text({ description: 'Only charges with this id of yours.' })),
    sourceKey: Type.Optional(Text({ description: 'Only charges from this source.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

const ChargesPage = Type.Object(
  { charges: Type.Array(Type.Unsafe<Static<typeof ChargeView>>({ $ref: 'Charge#' })), ...pageCounts },
  { $id: 'ChargesPage', additionalProperties: false },
);

const EXAMPLE = { charges: [VIEW_EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false };

const readQuery = reader(ChargesQuery, 'query');

export function chargeListRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly pageSize: number }): void {
  app.addSchema(ChargesPage);
  app.get(
    '/charges',
    {
      config: { scope: 'charges:read' },
      schema: {
        operationId: 'listCharges',
        summary: 'List charges',
        description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
        tags: ['Charges'],
        querystring: ChargesQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'ChargesPage#' }), 'A page of charges', EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readQuery(request.query);
      const page = toPageQuery(clean, deps.pageSize);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkPageQuery(page)]);
      const { state, externalId, sourceKey } = clean;
      const accountId = accountOf(request, clean.accountId);
      reply.type('application/json; charset=utf-8');
      return listCharges(deps, {
        ...page,
        ...(accountId !== undefined && { accountId }),
        ...(state !== undefined && { state }),
        ...(externalId !== undefined && { externalId }),
        ...(sourceKey !== undefined && { sourceKey }),
      });
    },
  );
}
