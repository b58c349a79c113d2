// What quotes give the service. The module of orders removes unused quotes.
import { QUOTE_SCHEMAS } from '../api/quotes.ts';
import { quoteRoutes } from '../http/routes/quotes.ts';
import type { Module } from '../module.ts';
import type { QuoteDeps } from './create.ts';

export function quotesModule(deps: QuoteDeps): Module {
  return { schemas: QUOTE_SCHEMAS, routes: app => quoteRoutes(app, deps) };
}
