// POST /crypto/transactions, GET /crypto/transactions/{id} and what can be done with an order.
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Customer } from '../charges/charge.ts';
import { findCharge } from '../charges/store.ts';
import { parseRfc3339 } from '../lib/date-times.ts';
import { type Fault, invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { attachCharge } from '../transactions/attach.ts';
import { cancelOrder, noSuchOrder } from '../transactions/cancel.ts';
import { createOrder, type NewOrder, type OrderDeps } from '../transactions/order.ts';
import type { OrderCharge } from '../transactions/order-charge.ts';
import { isPastClaim, repriceOrder } from '../transactions/reprice.ts';
import { retryOrder } from '../transactions/retry.ts';
import { findOrder, readTimeline } from '../transactions/store-orders.ts';
import { findPayout } from '../transactions/store-payouts.ts';
import type { Order } from '../transactions/transaction.ts';
import { orderDetail } from '../transactions/view.ts';
import { accountOf, requireScope } from './auth.ts';
import type { Given } from './body.ts';
import { toCustomer } from './charges.ts';
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { ORDER_EXAMPLE, ORDER_SCHEMAS, OrderBody, OrderChargeBody, RepriceBody } from './order-schemas.ts';
import { readQuoteRequest } from './quotes.ts';
import { type DeepPartial, reader } from './reader.ts';
import { jsonResponse, problemResponses } from './responses.ts';

const readBody = reader(OrderBody, 'body');
const readCharge = reader(OrderChargeBody, 'body');
const readReprice = reader(RepriceBody, 'body');

const orderParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
const tags = ['Crypto transactions'];
const JSON_TYPE = 'application/json; charset=utf-8';
const detailResponse = (words: string) => jsonResponse(Type.Unsafe({ $ref: 'OrderDetail#' }), words, ORDER_EXAMPLE);

export function orderRoutes(app: FastifyInstance, deps: OrderDeps): void {
  for (const schema of ORDER_SCHEMAS) app.addSchema(schema);

  app.post(
    '/crypto/transactions',
    {
      config: { scope: 'transactions:write' },
      schema: {
        operationId: 'createOrder',
        summary: 'Order crypto',
        description:
          'At a locked price, to a wallet, settled on schedule; with `charge`, the charge that pays for it is made too. A repeat by externalId, Idempotency-Key or quoteId returns the first order.',
        tags,
        headers: IdempotencyHeaders,
        body: Type.Unsafe({ $ref: 'NewOrder#' }),
        response: {
          201: jsonResponse(Type.Unsafe({ $ref: 'OrderDetail#' }), 'The order', ORDER_EXAMPLE, {
            Location: { description: 'Where the order is read.', type: 'string' },
            'Idempotent-Replayed': { description: '`true` when an earlier request made it.', type: 'string' },
          }),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'external_id_conflict',
            'payload_too_large',
            'unsupported_media_type',
            'idempotency_key_reused',
            'charge_refused',
            'order_refused',
            'price_unavailable',
          ),
        },
      },
    },
    async (request, reply) => {
      const key = readIdempotencyKey(request);
      const { order, faults } = readOrder(request);
      const allFaults = [...key.faults, ...faults];
      if (allFaults.length > 0 || !order) throw invalidRequest(allFaults);
      const accountId = accountOf(request, order.accountId);
      const { id, answer, replayed } = await createOrder(deps, { ...order, accountId }, key.value);
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.code(201).header('location', `/crypto/transactions/${id}`).type(JSON_TYPE);
      return answer;
    },
  );

  app.get<{ Params: { id: string } }>(
    '/crypto/transactions/:id',
    {
      config: { scope: 'transactions:read' },
      schema: {
        operationId: 'getOrder',
        summary: 'Read an order',
        description: 'Also one that expired, was canceled or was refunded, which no list shows.',
        tags,
        params: orderParams,
        response: {
          200: detailResponse('The order as it is now'),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const order = await findOrder(deps.db, requireOrderId(request.params.id), request.caller?.accountId);
      if (!order) throw noSuchOrder();
      return showOrder(deps, order);
    },
  );

  app.post<{ Params: { id: string } }>(
    '/crypto/transactions/:id/charge',
    {
      config: { scope: 'transactions:write' },
      schema: {
        operationId: 'attachCharge',
        summary: 'Say who pays for an order',
        description: 'For an order that was made without a charge, while its price holds.',
        tags,
        params: orderParams,
        body: Type.Unsafe({ $ref: 'OrderCharge#' }),
        response: {
          201: detailResponse('The order with its charge'),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'external_id_conflict',
            'wrong_state',
            'charge_refused',
          ),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readCharge(request.body);
      if (faults.length > 0) throw invalidRequest(faults);
      const order = await attachCharge(
        deps,
        requireOrderId(request.params.id),
        toOrderCharge(clean),
        request.caller?.accountId,
      );
      reply.code(201);
      return showOrder(deps, order);
    },
  );

  app.post<{ Params: { id: string } }>(
    '/crypto/transactions/:id/cancel',
    {
      config: { scope: 'transactions:write' },
      schema: {
        operationId: 'cancelOrder',
        summary: 'Cancel an order that nobody has paid',
        description: 'Its charge is canceled with it. Canceling twice is canceling once.',
        tags,
        params: orderParams,
        response: {
          200: detailResponse('The order as it is then'),
          ...problemResponses('malformed_request', 'not_found', 'wrong_state'),
        },
      },
    },
    async request =>
      showOrder(deps, await cancelOrder(deps, requireOrderId(request.params.id), request.caller?.accountId)),
  );

  app.post<{ Params: { id: string } }>(
    '/crypto/transactions/:id/reprice',
    {
      config: { scope: 'transactions:write' },
      schema: {
        operationId: 'repriceOrder',
        summary: 'Serve a held order at a new price',
        description:
          'For money that came after the quote had expired, too little of it, or after the order had ended, and for what is left of it after a transfer failed (which needs the scope `transfers:write` in live): all of it that is kept buys crypto at the new price.',
        tags,
        params: orderParams,
        body: Type.Unsafe({ $ref: 'Reprice#' }),
        response: {
          200: detailResponse('The order as it is then'),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'wrong_state',
            'order_refused',
            'price_unavailable',
          ),
        },
      },
    },
    async request => {
      const { clean, faults } = readReprice(request.body ?? {});
      if (faults.length > 0) throw invalidRequest(faults);
      const found = await findOrder(deps.db, requireOrderId(request.params.id), request.caller?.accountId);
      if (!found) throw noSuchOrder();
      // A second transfer is for whoever runs the service to decide.
      if (isPastClaim(found)) requireScope(request, 'transfers:write');
      return showOrder(deps, await repriceOrder(deps, found.id, clean.quoteId));
    },
  );

  app.post<{ Params: { id: string } }>(
    '/crypto/transactions/:id/retry',
    {
      config: { scope: 'transfers:write' },
      schema: {
        operationId: 'retryOrder',
        summary: 'Send again what a chain carried out without effect',
        description: 'For an order held as `transfer_reverted`. A second transfer is made, in a slot of its own.',
        tags,
        params: orderParams,
        response: {
          200: detailResponse('The order as it is then'),
          ...problemResponses('malformed_request', 'not_found', 'wrong_state'),
        },
      },
    },
    async request =>
      showOrder(deps, await retryOrder(deps, requireOrderId(request.params.id), request.caller?.accountId)),
  );
}

async function showOrder({ db, chains }: OrderDeps, order: Order) {
  const charge = order.chargeId === undefined ? undefined : await findCharge(db, order.chargeId, order.accountId);
  const payout = await findPayout(db, order);
  const confirmationsNeeded = chains[order.network]?.depth;
  return orderDetail(order, { charge, payout, confirmationsNeeded, timeline: await readTimeline(db, order) });
}

/** The id, when it is one that an order could have. */
function requireOrderId(id: string): string {
  const canonical = id.toLowerCase();
  if (!isUuid(canonical)) throw noSuchOrder();
  return canonical;
}

/** The body in our own words, or everything that is wrong with its form. */
function readOrder(given: Given): { order?: NewOrder; faults: Fault[] } {
  const { clean, faults } = readBody(given.body);
  const { quote, faults: quoteFaults } = readQuote(given, clean);
  const allFaults = [...faults, ...quoteFaults];
  const { accountId, externalId, walletId, settlementSchedule, charge } = clean;
  if (allFaults.length > 0 || !quote) return { faults: allFaults };
  // With no faults the schema vouches for every required field.
  const order: NewOrder = {
    accountId: accountId!,
    quote,
    walletId: walletId!,
    settlementSchedule: settlementSchedule!,
    ...(externalId !== undefined && { externalId }),
    ...(charge && { charge: toOrderCharge(charge) }),
  };
  return { order, faults: [] };
}

const QUOTE_FIELDS = ['symbol', 'network', 'currency', 'cost', 'quantity'] as const;

/** A quote by its id, or the fields of one; not both. */
function readQuote(
  request: Given,
  clean: DeepPartial<OrderBody>,
): { quote?: NewOrder['quote']; faults: readonly Fault[] } {
  const { body } = request;
  const given = QUOTE_FIELDS.filter(field => typeof body === 'object' && body !== null && field in body);
  if (clean.quoteId !== undefined) {
    const faults = given.map(path => ({ path, code: 'exactly_one', message: 'must not be given beside quoteId' }));
    return { quote: { id: clean.quoteId }, faults };
  }
  if (given.length === 0) {
    return { faults: [{ path: 'quoteId', code: 'required', message: 'is required, or the fields of a quote' }] };
  }
  const missing = (['symbol', 'network', 'currency'] as const).filter(field => !given.includes(field));
  const faults = missing.map(path => ({ path, code: 'required', message: 'is required' }));
  const { accountId: _, ...fields } = clean;
  const checked = readQuoteRequest(request, fields);
  return { ...(checked.request && { quote: checked.request }), faults: [...faults, ...checked.faults] };
}

function toOrderCharge(charge: DeepPartial<OrderChargeBody>): OrderCharge {
  const { customer, methods, externalId, sourceKey } = charge;
  const dueAt = charge.dueAt === undefined ? undefined : parseRfc3339(charge.dueAt);
  const expireAt = charge.expireAt === undefined ? undefined : parseRfc3339(charge.expireAt);
  return {
    customer: toCustomer(customer!) as Customer,
    methods: [...new Set(methods)],
    ...(externalId !== undefined && { externalId }),
    ...(sourceKey !== undefined && { sourceKey }),
    ...(dueAt && { dueAt }),
    ...(expireAt && { expireAt }),
  };
}
