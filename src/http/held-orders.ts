// GET /crypto/transactions/held: orders that rest and wait for somebody.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery, countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { readHeldPage } from '../transactions/store-orders.ts';
import { HOLD_REASONS } from '../transactions/transaction.ts';
import { orderView } from '../transactions/view.ts';
import { accountOf } from './auth.ts';
import { type OrderView, VIEWED_ORDER_EXAMPLE } from './order-schemas.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { OneOf, Text } from './schemas.ts';

const HeldQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only orders of this account.' })),
    reason: Type.Optional(OneOf(HOLD_REASONS, { description: 'Only orders that rest for this reason.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

const HeldPage = Type.Object(
  { orders: Type.Array(Type.Unsafe<Static<typeof OrderView>>({ $ref: 'Order#' })), ...pageCounts },
  { $id: 'HeldOrdersPage', additionalProperties: false },
);

const EXAMPLE = {
  orders: [
    {
      ...VIEWED_ORDER_EXAMPLE,
      status: 'pending_fulfillment',
      holdReason: 'underpaid',
      heldAt: VIEWED_ORDER_EXAMPLE.updatedAt,
    },
  ],
  total: 1,
  totalPages: 1,
  currentPage: 1,
  hasMore: false,
};

const readQuery = reader(HeldQuery, 'query');

export function heldOrderRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly pageSize: number }): void {
  app.addSchema(HeldPage);
  app.get(
    '/crypto/transactions/held',
    {
      config: { scope: 'transactions:read' },
      schema: {
        operationId: 'listHeldOrders',
        summary: 'List orders that rest',
        description: 'Those that rest longest first, also ones that had ended when money came.',
        tags: ['Crypto transactions'],
        querystring: HeldQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'HeldOrdersPage#' }), 'A page of orders', EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      const page = toPageQuery(clean, deps.pageSize);
      const allFaults = [...faults, ...checkPageQuery(page)];
      if (allFaults.length > 0) throw invalidRequest(allFaults);
      const { reason } = clean;
      const accountId = accountOf(request, clean.accountId);
      const query = { ...page, ...(accountId !== undefined && { accountId }), ...(reason && { reason }) };
      const { orders, total } = await readHeldPage(deps.db, query);
      return { orders: orders.map(order => orderView(order)), ...countPages(total, page) };
    },
  );
}
