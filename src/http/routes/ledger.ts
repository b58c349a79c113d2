// The ledger: what the books hold, and what made it so.
import type { FastifyInstance } from 'fastify';
import {
  BALANCES_EXAMPLE,
  BalancesQuery,
  ENTRIES_EXAMPLE,
  EntriesQuery,
  LedgerBalances,
  LedgerPage,
} from '../../api/ledger.ts';
import { checkPage, toPageQuery } from '../../api/paging.ts';
import { listBalances, listEntries } from '../../ledger/list.ts';
import type { Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Ledger';

export function ledgerRoutes(app: FastifyInstance, deps: { readonly db: Sql; readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/ledger/balances',
    access: 'ledger:read',
    operationId: 'listLedgerBalances',
    summary: 'Read the balances',
    description: 'One for each account, currency and book that ever moved, in that order.',
    tag,
    query: BalancesQuery,
    answer: ok(LedgerBalances, 'The balances', BALANCES_EXAMPLE),
    handle: async ({ query, caller }) => {
      const { currency } = query;
      const accountId = accountOf(caller, query.accountId);
      return listBalances(deps, {
        ...(accountId !== undefined && { accountId }),
        ...(currency !== undefined && { currency }),
      });
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/ledger/entries',
    access: 'ledger:read',
    operationId: 'listLedgerEntries',
    summary: 'List the entries',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: EntriesQuery,
    check: checkPage,
    answer: ok(LedgerPage, 'A page of entries', ENTRIES_EXAMPLE),
    handle: async ({ query, caller }) => {
      const { chargeId, transactionId } = query;
      const accountId = accountOf(caller, query.accountId);
      return listEntries(deps, {
        ...toPageQuery(query, deps.pageSize),
        ...(accountId !== undefined && { accountId }),
        ...(chargeId !== undefined && { chargeId }),
        ...(transactionId !== undefined && { orderId: transactionId }),
      });
    },
  });
}
