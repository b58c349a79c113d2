// GET /crypto/transactions.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { parseUtc } from '../lib/date-times.ts';
import { invalidRequest } from '../lib/errors.ts';
import { MAX_PAGE_SIZE } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { checkListQuery, listTransactions } from '../transactions/list.ts';
import { type ListQuery, SETTLEMENT_SCHEDULES, STATUSES } from '../transactions/transaction.ts';
import { type DeepPartial, reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf } from './schemas.ts';

export const TransactionsQuery = Type.Object(
  {
    symbol: Type.Optional(OneOf(SYMBOLS, { description: 'Only this asset.' })),
    status: Type.Optional(OneOf(STATUSES, { description: 'Only this status.' })),
    from: Type.Optional(DateTime({ description: 'Created at this moment or later, in UTC: `2024-02-29T10:30Z`.' })),
    to: Type.Optional(DateTime({ description: 'Created at this moment or earlier, in UTC.' })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 })),
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, description: '20 unless configured otherwise.' }),
    ),
  },
  { additionalProperties: false },
);

export const CryptoTransaction = Type.Object(
  {
    transactionId: Type.String({ format: 'uuid' }),
    status: OneOf(STATUSES),
    quantity: Type.Number({ description: 'Units of the asset, exact: up to 18 decimals.' }),
    cost: Type.Number({ description: 'Units of the currency, exact.' }),
    price: Type.Number({ description: 'Currency for one unit of the asset, exact.' }),
    network: OneOf(NETWORKS),
    symbol: OneOf(SYMBOLS),
    currency: OneOf(CURRENCIES),
    walletId: Type.String(),
    walletAddress: Type.String(),
    walletName: Type.String(),
    settlementSchedule: OneOf(SETTLEMENT_SCHEDULES, { description: 'Banking days after payment.' }),
    settlementDate: DateTime({ description: 'Planned, until the real one is known.' }),
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  { $id: 'CryptoTransaction', additionalProperties: false },
);

export const TransactionsPage = Type.Object(
  {
    transactions: Type.Array(Type.Unsafe<Static<typeof CryptoTransaction>>({ $ref: 'CryptoTransaction#' })),
    total: Type.Integer({ minimum: 0, description: 'How many match, exactly.' }),
    totalPages: Type.Integer({ minimum: 0 }),
    currentPage: Type.Integer({ minimum: 1, description: 'The page as asked for, also past the end.' }),
    hasMore: Type.Boolean(),
  },
  { $id: 'TransactionsPage', additionalProperties: false },
);

const EXAMPLE: Static<typeof TransactionsPage> = {
  transactions: [
    {
      transactionId: '019a7f3c-5b20-7e61-b3a4-90c1d2e3f405',
      status: 'fulfilled',
      quantity: 462.962962,
      cost: 2500,
      price: 5.4,
      network: 'polygon',
      symbol: 'usdc',
      currency: 'BRL',
      walletId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87',
      walletAddress: '0x280ca5dc39910cddbfe09d0657fb76ca6505d63a',
      walletName: 'Treasury',
      settlementSchedule: 'D1',
      settlementDate: '2026-11-13T14:20:00.000Z',
      createdAt: '2026-11-12T14:00:00.000Z',
      updatedAt: '2026-11-13T14:20:00.000Z',
    },
  ],
  total: 41,
  totalPages: 3,
  currentPage: 1,
  hasMore: true,
};

type Deps = { readonly db: Sql; readonly pageSize: number };

const readQuery = reader(TransactionsQuery, 'query');

export function transactionRoutes(app: FastifyInstance, deps: Deps): void {
  app.addSchema(CryptoTransaction);
  app.addSchema(TransactionsPage);
  app.get(
    '/crypto/transactions',
    {
      schema: {
        operationId: 'listCryptoTransactions',
        summary: 'List crypto transactions',
        description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
        tags: ['Crypto transactions'],
        querystring: TransactionsQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'TransactionsPage#' }), 'A page of transactions', EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readQuery(request.query);
      const query = toListQuery(clean, deps.pageSize);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkListQuery(query)]);
      reply.type('application/json; charset=utf-8');
      return listTransactions(deps, query);
    },
  );
}

function toListQuery(clean: DeepPartial<Static<typeof TransactionsQuery>>, defaultPageSize: number): ListQuery {
  const { symbol, status, page = 1, pageSize = defaultPageSize } = clean;
  const from = clean.from === undefined ? undefined : parseUtc(clean.from);
  const to = clean.to === undefined ? undefined : parseUtc(clean.to);
  return {
    page,
    pageSize,
    ...(symbol !== undefined && { symbol }),
    ...(status !== undefined && { status }),
    ...(from && { from }),
    ...(to && { to }),
  };
}
