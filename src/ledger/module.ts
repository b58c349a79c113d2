// What the ledger gives the service: its entries, its balances and the check that they are right.
import { LEDGER_SCHEMAS } from '../api/ledger.ts';
import { ledgerRoutes } from '../http/routes/ledger.ts';
import type { ListReadDeps } from '../http/server/list-read.ts';
import type { Module } from '../module.ts';

export function ledgerModule(deps: ListReadDeps & { readonly pageSize: number }): Module {
  return { schemas: LEDGER_SCHEMAS, routes: app => ledgerRoutes(app, deps) };
}
