// The list of crypto transactions.
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { SETTLEMENT_SCHEDULES, STATUSES } from '../orders/order.ts';
import { pageCounts, pageParameters, utcRange } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

export const TransactionsQuery = Type.Object(
  {
    symbol: Type.Optional(OneOf(SYMBOLS, { description: 'Only this asset.' })),
    status: Type.Optional(OneOf(STATUSES, { description: 'Only this status.' })),
    accountId: Type.Optional(Text({ description: 'Only transactions of this account.' })),
    externalId: Type.Optional(Text({ description: 'Only transactions with this externalId, one per account.' })),
    ...pageParameters,
    ...utcRange,
  },
  { additionalProperties: false },
);

export const CryptoTransaction = Type.Object(
  {
    transactionId: Uuid(),
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
  { transactions: Type.Array(Ref(CryptoTransaction)), ...pageCounts },
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
  // A wallet that a new sandbox has, so that the example of an order can be sent there.
  walletId: '01a1d600-a5e5-7412-bf8d-ac56a5d1ad2b',
  walletAddress: '0x280ca5Dc39910CDdBfE09D0657FB76Ca6505D63A',
  walletName: 'Treasury',
  settlementSchedule: 'D1',
  settlementDate: '2026-11-13T14:20:00.000Z',
  createdAt: '2026-11-12T14:00:00.000Z',
  updatedAt: '2026-11-13T14:20:00.000Z',
};

export const TRANSACTIONS_EXAMPLE: Static<typeof TransactionsPage> = {
  transactions: [TRANSACTION_EXAMPLE],
  total: 41,
  totalPages: 3,
  currentPage: 1,
  hasMore: true,
};

export const TRANSACTION_SCHEMAS = [CryptoTransaction, TransactionsPage];
