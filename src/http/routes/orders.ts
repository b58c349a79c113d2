// Routes of orders of crypto: create, read, list.
import type { FastifyInstance } from 'fastify';
import { OrderBody, toOrderCharge } from '../../api/new-order.ts';
import {
  ENDED_EXAMPLE,
  EndedPage,
  EndedQuery,
  HELD_EXAMPLE,
  HeldPage,
  HeldQuery,
  ORDER_DETAIL_EXAMPLE,
  OrderDetail,
} from '../../api/orders.ts';
import { checkPage } from '../../api/paging.ts';
import { TRANSACTIONS_EXAMPLE, TransactionsPage, TransactionsQuery } from '../../api/transactions.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { createOrder, type OrderDeps } from '../../orders/create.ts';
import { listEndedOrders, listHeldOrders, listTransactions } from '../../orders/list.ts';
import { requireOrder, showOrder } from '../../orders/show.ts';
import { created, jsonText, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { listQuery } from '../server/list-query.ts';
import { DATA_AS_OF, FreshHeaders, type ListReadDeps, readList } from '../server/list-read.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';
import { readQuoteChoice } from './quote-fields.ts';

const tag = 'Crypto transactions';

type Deps = OrderDeps & ListReadDeps & { readonly pageSize: number };

export function orderRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/crypto/transactions',
    operationId: 'listCryptoTransactions',
    summary: 'List crypto transactions',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: TransactionsQuery,
    headers: FreshHeaders,
    check: checkPage,
    answer: ok(TransactionsPage, 'A page of transactions', TRANSACTIONS_EXAMPLE, DATA_AS_OF),
    handle: async ({ query, caller, request }, reply) => {
      const asked = listQuery(query, caller, deps.pageSize);
      // A search for one order may follow its creation, so it reads the primary.
      const isFresh = asked.externalId !== undefined;
      return jsonText(await readList(deps, request, reply, db => listTransactions({ db }, asked), { isFresh }));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions',
    operationId: 'createOrder',
    summary: 'Order crypto',
    description:
      'At a locked price, to a wallet, settled on schedule; with `charge`, the charge that pays for it is created too. A repeat by externalId, Idempotency-Key or quoteId returns the first order.',
    tag,
    takesIdempotencyKey: true,
    body: OrderBody,
    checkWhenRefused: ({ given, body }) => readQuoteChoice(given, body).faults,
    answer: created(OrderDetail, 'The order', ORDER_DETAIL_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: [
      'not_found',
      'external_id_conflict',
      'idempotency_key_reused',
      'charge_refused',
      'order_refused',
      'wallet_blocked',
      'price_unavailable',
      'not_configured',
    ],
    handle: async ({ given, body, idempotencyKey, caller }, reply) => {
      const { quote, faults } = readQuoteChoice(given, body);
      if (!quote || faults.length > 0) throw invalidRequest(faults);
      const { externalId, walletId, settlementSchedule, charge } = body;
      const order = {
        accountId: accountOf(caller, body.accountId),
        quote,
        walletId,
        settlementSchedule,
        ...(externalId !== undefined && { externalId }),
        ...(charge && { charge: toOrderCharge(charge) }),
      };
      const { id, answer, replayed } = await createOrder(deps, order, idempotencyKey);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/crypto/transactions/${id}`);
      return jsonText(answer);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/crypto/transactions/:id',
    operationId: 'getOrder',
    summary: 'Read an order',
    description: 'Including expired, canceled and refunded ones.',
    tag,
    path: idOf('crypto transaction'),
    answer: ok(OrderDetail, 'The order as it is now', ORDER_DETAIL_EXAMPLE),
    handle: async ({ path, caller }) => showOrder(deps, await requireOrder(deps.db, path.id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/crypto/transactions/held',
    operationId: 'listHeldOrders',
    summary: 'List orders on hold',
    description: 'Longest hold first, including orders that had ended when money came.',
    tag,
    query: HeldQuery,
    check: checkPage,
    answer: ok(HeldPage, 'A page of orders', HELD_EXAMPLE),
    handle: async ({ query, caller }) => listHeldOrders(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/crypto/transactions/ended',
    operationId: 'listEndedOrders',
    summary: 'List orders that ended without being fulfilled',
    description: 'Newest first: expired, canceled and refunded orders. They are in no other list, unless held.',
    tag,
    query: EndedQuery,
    headers: FreshHeaders,
    check: checkPage,
    answer: ok(EndedPage, 'A page of orders', ENDED_EXAMPLE, DATA_AS_OF),
    handle: async ({ query, caller, request }, reply) => {
      const asked = listQuery(query, caller, deps.pageSize);
      return readList(deps, request, reply, db => listEndedOrders({ db }, asked));
    },
  });
}
