// POST /crypto/quotes and GET /crypto/quotes/{id}.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { NETWORKS, SYMBOLS } from '../chains/asset.ts';
import { CURRENCIES } from '../lib/currency.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { type CheckedQuote, checkQuote } from '../quotes/check.ts';
import { createQuote, type QuoteDeps } from '../quotes/create.ts';
import type { Quote } from '../quotes/quote.ts';
import { findQuote } from '../quotes/store.ts';
import { quoteView } from '../quotes/view.ts';
import { accountOf } from './auth.ts';
import type { Given } from './body.ts';
import { Decimal, readDecimal } from './decimal-field.ts';
import { type DeepPartial, reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf, Text } from './schemas.ts';

/** What is to be priced: also for an order that brings no quote. */
export const quoteFields = {
  symbol: OneOf(SYMBOLS),
  network: OneOf(NETWORKS, { description: 'One that the symbol lives on.' }),
  currency: OneOf(CURRENCIES),
  cost: Type.Optional(
    Decimal({
      description: 'What is paid in all, fee included; at most 2 decimals. Exactly one of cost and quantity.',
    }),
  ),
  quantity: Type.Optional(
    Decimal({ description: 'Units of the asset; at most the decimals it has on the network. Text keeps every digit.' }),
  ),
};

const QuoteBody = Type.Object(
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
type QuoteBody = Static<typeof QuoteBody>;

const QuoteView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    accountId: Type.Optional(Type.String()),
    symbol: OneOf(SYMBOLS),
    network: OneOf(NETWORKS),
    currency: OneOf(CURRENCIES),
    price: Type.Number({ description: 'Currency for one unit of the asset, exact.' }),
    fee: Type.Number({ description: 'What of the cost the service keeps, exact.' }),
    quantity: Type.Number({ description: 'Units of the asset, exact: up to 18 decimals.' }),
    cost: Type.Number({ description: 'What is paid in all, exact.' }),
    exact: Type.Object(
      { price: Type.String(), fee: Type.String(), quantity: Type.String(), cost: Type.String() },
      { additionalProperties: false, description: 'The same numbers as text, for a parser that rounds numbers.' },
    ),
    feePercent: Type.String(),
    source: Type.String({ description: 'Who named the price.' }),
    priceAt: DateTime({ description: 'The moment the price is of.' }),
    inputs: Type.Array(
      Type.Object(
        {
          source: Type.String(),
          value: Type.String(),
          at: DateTime(),
          leftOut: Type.Optional(
            OneOf(['too_old', 'in_the_future'], { description: 'Why it was told but did not count.' }),
          ),
        },
        { additionalProperties: false },
      ),
      { description: 'What the price was made of.' },
    ),
    createdAt: DateTime(),
    expiresAt: DateTime({ description: 'From this moment on the price is not locked any more.' }),
  },
  { $id: 'Quote', additionalProperties: false },
);

const EXAMPLE: Static<typeof QuoteView> = {
  id: '019a8b60-71d4-7b3e-8c52-4f9e0a6d1b38',
  symbol: 'usdt',
  network: 'tron',
  currency: 'BRL',
  price: 5.41,
  fee: 5,
  quantity: 91.497227,
  cost: 500,
  exact: { price: '5.41', fee: '5', quantity: '91.497227', cost: '500' },
  feePercent: '1',
  source: 'table',
  priceAt: '2026-11-16T12:00:00.000Z',
  inputs: [{ source: 'table', value: '5.41', at: '2026-11-16T12:00:00.000Z' }],
  createdAt: '2026-11-16T12:00:00.000Z',
  expiresAt: '2026-11-16T12:05:00.000Z',
};

const readBody = reader(QuoteBody, 'body');

export function quoteRoutes(app: FastifyInstance, deps: QuoteDeps): void {
  app.addSchema(QuoteBody);
  app.addSchema(QuoteView);
  app.post(
    '/crypto/quotes',
    {
      config: { scope: 'quotes:write' },
      schema: {
        operationId: 'createQuote',
        summary: 'Ask what crypto costs',
        description: 'Locks the price for five minutes. Give what you pay (`cost`) or what you get (`quantity`).',
        tags: ['Crypto quotes'],
        body: Type.Unsafe({ $ref: 'NewQuote#' }),
        response: {
          201: jsonResponse(Type.Unsafe({ $ref: 'Quote#' }), 'The quote', EXAMPLE, {
            Location: { description: 'Where the quote is read.', type: 'string' },
          }),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'payload_too_large',
            'unsupported_media_type',
            'price_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readBody(request.body);
      const checked = readQuoteRequest(request, clean);
      const allFaults = [...faults, ...checked.faults];
      if (allFaults.length > 0 || !checked.request) throw invalidRequest(allFaults);
      const accountId = accountOf(request, checked.request.accountId);
      const quote = await createQuote(deps, { ...checked.request, ...(accountId !== undefined && { accountId }) });
      reply.code(201).header('location', `/crypto/quotes/${quote.id}`);
      return quoteView(quote);
    },
  );

  app.get<{ Params: { id: string } }>(
    '/crypto/quotes/:id',
    {
      config: { scope: 'quotes:read' },
      schema: {
        operationId: 'getQuote',
        summary: 'Read a quote',
        tags: ['Crypto quotes'],
        params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Quote#' }), 'The quote, as it was made', EXAMPLE),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const id = request.params.id.toLowerCase();
      const quote = isUuid(id) ? await findQuote(deps.db, id) : undefined;
      if (!quote || !maySee(request, quote)) throw new AppError('not_found', 'There is no such quote.');
      return quoteView(quote);
    },
  );
}

/** A quote that names an account is that account's; in live every quote does. */
function maySee({ caller }: FastifyRequest, { accountId }: Quote): boolean {
  return caller === undefined || accountId === caller.accountId;
}

/** What a body with the fields above asks to be priced. `clean` is what its schema let through. */
export function readQuoteRequest(given: Given, clean: DeepPartial<QuoteBody>): CheckedQuote {
  const { accountId, symbol, network, currency } = clean;
  const cost = readDecimal(given, clean, 'cost');
  const quantity = readDecimal(given, clean, 'quantity');
  const checked = checkQuote({
    ...(accountId !== undefined && { accountId }),
    ...(symbol && { symbol }),
    ...(network && { network }),
    ...(currency && { currency }),
    ...(cost.text !== undefined && { cost: cost.text }),
    ...(quantity.text !== undefined && { quantity: quantity.text }),
  });
  return { ...checked, faults: [...cost.faults, ...quantity.faults, ...checked.faults] };
}
