// GET /crypto/transactions.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { listTransactions } from '../transactions/list.ts';
import { SETTLEMENT_SCHEDULES, STATUSES } from '../transactions/transaction.ts';
import { accountOf } from './auth.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf } from './schemas.ts';

export const TransactionsQuery = Type.Object(
  {
    symbol: Type.Optional(OneOf(SYMBOLS, { description: 'Only this asset.' })),
    status: Type.Optional(OneOf(STATUSES, { description: 'Only this status.' })),
    ...pageParameters,
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
    ...pageCounts,
  },
  { $id: 'TransactionsPage', additionalProperties: false },
);

export const TRANSACTION_EXAMPLE: Static<typeof CryptoTransaction> = {
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
};

const EXAMPLE: Static<typeof TransactionsPage> = {
  transactions: [TRANSACTION_EXAMPLE],
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
      config: { scope: 'transactions:read' },
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
      const page = toPageQuery(clean, deps.pageSize);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkPageQuery(page)]);
      const { symbol, status } = clean;
      const accountId = accountOf(request);
      reply.type('application/json; charset=utf-8');
      return listTransactions(deps, {
        ...page,
        ...(accountId !== undefined && { accountId }),
        ...(symbol && { symbol }),
        ...(status && { status }),
      });
    },
  );
}
