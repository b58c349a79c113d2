// Routes of the ledger: balances and entries.
import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import {
  BALANCES_EXAMPLE,
  BalancesQuery,
  ENTRIES_EXAMPLE,
  EntriesQuery,
  LedgerBalances,
  LedgerPage,
} from '../../api/ledger.ts';
import { checkPage } from '../../api/paging.ts';
import { listBalances, listEntries } from '../../ledger/list.ts';
import type { EntryFilter } from '../../ledger/store-read.ts';
import { ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { listQuery } from '../server/list-query.ts';
import { DATA_AS_OF, FreshHeaders, type ListReadDeps, readList } from '../server/list-read.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Ledger';

export function ledgerRoutes(app: FastifyInstance, deps: ListReadDeps & { readonly pageSize: number }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/ledger/balances',
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
    operationId: 'listLedgerEntries',
    summary: 'List the entries',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: EntriesQuery,
    headers: FreshHeaders,
    check: checkPage,
    answer: ok(LedgerPage, 'A page of entries', ENTRIES_EXAMPLE, DATA_AS_OF),
    handle: async ({ query, caller, request }, reply) => {
      const asked = entryFilter(query, caller, deps.pageSize);
      return readList(deps, request, reply, db => listEntries({ db }, asked), { isFresh: isOfOneObject(asked) });
    },
  });
}

/** The entries that a caller or a page of the dashboard asks for. */
export function entryFilter(query: Static<typeof EntriesQuery>, caller: Caller | undefined, pageSize: number) {
  const { transactionId, ...asked } = listQuery(query, caller, pageSize);
  return { ...asked, ...(transactionId !== undefined && { orderId: transactionId }) };
}

/** The entries of one charge or order may be new, so they are read from the primary. */
export function isOfOneObject({ chargeId, orderId }: EntryFilter): boolean {
  return chargeId !== undefined || orderId !== undefined;
}
