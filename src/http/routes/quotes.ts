// Routes of quotes: the present price of crypto.
import type { FastifyInstance } from 'fastify';
import { QUOTE_EXAMPLE, QuoteBody, QuoteView } from '../../api/quotes.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { createQuote, type QuoteDeps } from '../../quotes/create.ts';
import { requireQuote } from '../../quotes/require.ts';
import { quoteView } from '../../quotes/view.ts';
import { created, LOCATION, ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';
import { readQuoteFields } from './quote-fields.ts';

const tag = 'Crypto quotes';

export function quoteRoutes(app: FastifyInstance, deps: QuoteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/crypto/quotes',
    operationId: 'createQuote',
    summary: 'Quote a price of crypto',
    description: 'Locks the price for five minutes. Give what you pay (`cost`) or what you get (`quantity`).',
    tag,
    body: QuoteBody,
    checkWhenRefused: ({ given, body }) => readQuoteFields(given, body).faults,
    answer: created(QuoteView, 'The quote', QUOTE_EXAMPLE, LOCATION),
    problems: ['price_unavailable', 'not_configured'],
    handle: async ({ given, body, caller }, reply) => {
      const { request, faults } = readQuoteFields(given, body);
      if (!request) throw invalidRequest(faults);
      const accountId = accountOf(caller, request.accountId);
      const quote = await createQuote(deps, { ...request, ...(accountId !== undefined && { accountId }) });
      reply.header('location', `/crypto/quotes/${quote.id}`);
      return quoteView(quote);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/crypto/quotes/:id',
    operationId: 'getQuote',
    summary: 'Read a quote',
    tag,
    path: idOf('quote'),
    answer: ok(QuoteView, 'The quote, as it was created', QUOTE_EXAMPLE),
    handle: async ({ path, caller }) => quoteView(await requireQuote(deps.db, path.id, caller?.accountId)),
  });
}
