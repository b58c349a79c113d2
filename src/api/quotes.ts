// Quotes on the wire: the price of crypto, locked for a while.
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { LEFT_OUT } from '../prices/price.ts';
import { DateTime, Decimal, OneOf, Text, Uuid } from './schemas.ts';

/** The fields of a quote, also for an order without one. */
export const quoteFields = {
  symbol: OneOf(SYMBOLS),
  network: OneOf(NETWORKS, { description: 'One that has the symbol.' }),
  currency: OneOf(CURRENCIES),
  cost: Type.Optional(
    Decimal({
      description: 'The total cost, fee included; at most 2 decimals. Exactly one of cost and quantity.',
    }),
  ),
  quantity: Type.Optional(
    Decimal({ description: 'Units of the asset; at most the decimals it has on the network. Text keeps every digit.' }),
  ),
};

export const QuoteBody = Type.Object(
  {
    ...quoteFields,
    accountId: Type.Optional(Text({ description: 'When given, only this account may order with the quote.' })),
  },
  {
    $id: 'NewQuote',
    additionalProperties: false,
    examples: [
      { symbol: 'usdt', network: 'tron', currency: 'BRL', cost: 500 },
      { symbol: 'eth', network: 'ethereum', currency: 'BRL', quantity: '0.012345678901234567' },
    ],
  },
);
export type QuoteBody = Static<typeof QuoteBody>;

export const QuoteView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.Optional(Type.String()),
    symbol: OneOf(SYMBOLS),
    network: OneOf(NETWORKS),
    currency: OneOf(CURRENCIES),
    price: Type.Number({ description: 'Currency for one unit of the asset, exact.' }),
    fee: Type.Number({ description: 'The fee of the service, exact.' }),
    networkFee: Type.Number({
      description:
        "The payer's share of the network fee, in units of the asset, exact: deducted from what the cost buys. 0: the operator bears the fee.",
    }),
    quantity: Type.Number({ description: 'Units of the asset, exact: up to 18 decimals.' }),
    cost: Type.Number({ description: 'The total cost, exact.' }),
    exact: Type.Object(
      {
        price: Type.String(),
        fee: Type.String(),
        networkFee: Type.String(),
        quantity: Type.String(),
        cost: Type.String(),
      },
      { additionalProperties: false, description: 'The same numbers as text, for a parser that rounds numbers.' },
    ),
    feePercent: Type.String(),
    source: Type.String({ description: 'Where the price comes from.' }),
    priceAt: DateTime({ description: 'The time of the price.' }),
    inputs: Type.Array(
      Type.Object(
        {
          source: Type.String(),
          value: Type.String(),
          at: DateTime(),
          leftOut: Type.Optional(OneOf(LEFT_OUT, { description: 'Why this input was not used.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'The inputs of the price.' },
    ),
    createdAt: DateTime(),
    expiresAt: DateTime({ description: 'From this moment on the price is no longer locked.' }),
  },
  { $id: 'Quote', additionalProperties: false },
);

export const QUOTE_EXAMPLE: Static<typeof QuoteView> = {
  id: '019a8b60-71d4-7b3e-8c52-4f9e0a6d1b38',
  symbol: 'usdt',
  network: 'tron',
  currency: 'BRL',
  price: 5.41,
  fee: 5,
  networkFee: 0,
  quantity: 91.497227,
  cost: 500,
  exact: { price: '5.41', fee: '5', networkFee: '0', quantity: '91.497227', cost: '500' },
  feePercent: '1',
  source: 'table',
  priceAt: '2026-11-16T12:00:00.000Z',
  inputs: [{ source: 'table', value: '5.41', at: '2026-11-16T12:00:00.000Z' }],
  createdAt: '2026-11-16T12:00:00.000Z',
  expiresAt: '2026-11-16T12:05:00.000Z',
};

export const QUOTE_SCHEMAS = [QuoteBody, QuoteView];
