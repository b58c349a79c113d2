// GET /ledger/balances and GET /ledger/entries: what the books hold, and what made it so.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { LEDGER_CURRENCIES } from '../ledger/currency.ts';
import { BOOKS, ENTRY_KINDS } from '../ledger/entry.ts';
import { listBalances, listEntries, MAX_BALANCES } from '../ledger/list.ts';
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { accountOf } from './auth.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf, Text } from './schemas.ts';

const Uuid = (options: { description?: string } = {}) => Type.String({ format: 'uuid', ...options });
const Amount = Type.String({
  description: 'Exact, with its sign: reais as `159.90`, an asset in its units as `12.5`.',
});
const CurrencyName = OneOf(LEDGER_CURRENCIES, { description: '`BRL`, or an asset on its network.' });

const BalancesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only books of this account.' })),
    currency: Type.Optional(CurrencyName),
  },
  { additionalProperties: false },
);

const LedgerBalances = Type.Object(
  {
    balances: Type.Array(
      Type.Object(
        { accountId: Type.String(), book: OneOf(BOOKS), currency: CurrencyName, amount: Amount },
        { additionalProperties: false },
      ),
      { maxItems: MAX_BALANCES },
    ),
    sums: Type.Record(Type.String(), Type.String(), {
      description: 'What all matching books of a currency sum to, also those that are not shown: always `0`.',
    }),
    hasMore: Type.Boolean({ description: `True when there are more than ${MAX_BALANCES}: ask for one account.` }),
  },
  { $id: 'LedgerBalances', additionalProperties: false },
);

const BALANCES_EXAMPLE: Static<typeof LedgerBalances> = {
  balances: [
    { accountId: 'acme', book: 'payer', currency: 'BRL', amount: '-159.90' },
    { accountId: 'acme', book: 'settled', currency: 'BRL', amount: '159.90' },
  ],
  sums: { BRL: '0' },
  hasMore: false,
};

const EntriesQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only entries of this account.' })),
    chargeId: Type.Optional(Uuid({ description: 'Only entries of this charge.' })),
    transactionId: Type.Optional(Uuid({ description: 'Only entries of this crypto transaction.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

const LedgerEntry = Type.Object(
  {
    id: Uuid(),
    kind: OneOf(ENTRY_KINDS),
    causeId: Uuid({
      description:
        'What moved: a payment, a charge whose boleto was credited, a refund, a commitment of an order, or a payout.',
    }),
    accountId: Type.String(),
    chargeId: Type.Optional(Uuid()),
    transactionId: Type.Optional(Uuid()),
    at: DateTime({ description: 'When it moved: for a payment, when it was paid.' }),
    lines: Type.Array(
      Type.Object({ book: OneOf(BOOKS), currency: CurrencyName, amount: Amount }, { additionalProperties: false }),
      { description: 'They sum to zero in each currency.' },
    ),
  },
  { $id: 'LedgerEntry', additionalProperties: false },
);

const LedgerPage = Type.Object(
  { entries: Type.Array(Type.Unsafe<Static<typeof LedgerEntry>>({ $ref: 'LedgerEntry#' })), ...pageCounts },
  { $id: 'LedgerPage', additionalProperties: false },
);

const ENTRIES_EXAMPLE: Static<typeof LedgerPage> = {
  entries: [
    {
      id: '019a9c12-0d31-7b1e-8f00-6c5b4a392817',
      kind: 'payment',
      causeId: '019a9c10-1b20-7f43-9a0c-5e4d3c2b1a09',
      accountId: 'acme',
      chargeId: '019a9c0f-3a10-7d21-8c4b-1f0e9d8c7b6a',
      at: '2026-12-10T13:00:00.000Z',
      lines: [
        { book: 'settled', currency: 'BRL', amount: '159.90' },
        { book: 'payer', currency: 'BRL', amount: '-159.90' },
      ],
    },
  ],
  total: 1,
  totalPages: 1,
  currentPage: 1,
  hasMore: false,
};

const readBalancesQuery = reader(BalancesQuery, 'query');
const readEntriesQuery = reader(EntriesQuery, 'query');

export function ledgerRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly pageSize: number }): void {
  for (const schema of [LedgerBalances, LedgerEntry, LedgerPage]) app.addSchema(schema);
  app.get(
    '/ledger/balances',
    {
      config: { scope: 'ledger:read' },
      schema: {
        operationId: 'listLedgerBalances',
        summary: 'Read what the books hold',
        description: 'For each account, currency and book that ever moved, in that order.',
        tags: ['Ledger'],
        querystring: BalancesQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'LedgerBalances#' }), 'The balances', BALANCES_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readBalancesQuery(request.query);
      if (faults.length > 0) throw invalidRequest(faults);
      const { currency } = clean;
      const accountId = accountOf(request, clean.accountId);
      return listBalances(deps, {
        ...(accountId !== undefined && { accountId }),
        ...(currency !== undefined && { currency }),
      });
    },
  );

  app.get(
    '/ledger/entries',
    {
      config: { scope: 'ledger:read' },
      schema: {
        operationId: 'listLedgerEntries',
        summary: 'List entries of the ledger',
        description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
        tags: ['Ledger'],
        querystring: EntriesQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'LedgerPage#' }), 'A page of entries', ENTRIES_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readEntriesQuery(request.query);
      const page = toPageQuery(clean, deps.pageSize);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkPageQuery(page)]);
      const { chargeId, transactionId } = clean;
      const accountId = accountOf(request, clean.accountId);
      return listEntries(deps, {
        ...page,
        ...(accountId !== undefined && { accountId }),
        ...(chargeId !== undefined && { chargeId }),
        ...(transactionId !== undefined && { transactionId }),
      });
    },
  );
}
