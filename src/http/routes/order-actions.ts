// Routes of acts on an order: add its charge, cancel it, take a new price, retry its transfer, approve, settle, give up.
import type { FastifyInstance } from 'fastify';
import { requireScope } from '../../accounts/access.ts';
import { OrderChargeBody, RepriceBody, SettleBody, toOrderCharge } from '../../api/new-order.ts';
import { ORDER_DETAIL_EXAMPLE, OrderDetail } from '../../api/orders.ts';
import { invalidRequest } from '../../lib/errors.ts';
import { approveOrder } from '../../orders/approve.ts';
import { attachCharge } from '../../orders/attach.ts';
import { cancelOrder } from '../../orders/cancel.ts';
import type { OrderDeps } from '../../orders/create.ts';
import { isPastClaim } from '../../orders/life.ts';
import { repriceOrder } from '../../orders/reprice.ts';
import { retryOrder } from '../../orders/retry.ts';
import { settleMismatch } from '../../orders/settle-mismatch.ts';
import { type SettlePaidDeps, settlePaid } from '../../orders/settle-paid.ts';
import { requireOrder, showOrder } from '../../orders/show.ts';
import { voidPayout } from '../../orders/void.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Crypto transactions';
const path = idOf('crypto transaction');
const answer = ok(OrderDetail, 'The order as it is then', ORDER_DETAIL_EXAMPLE);

export function orderActionRoutes(app: FastifyInstance, deps: OrderDeps & SettlePaidDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/charge',
    operationId: 'attachCharge',
    summary: 'Add the charge of an order',
    description: 'For an order that was created without a charge, until its quote expires.',
    tag,
    path,
    body: OrderChargeBody,
    answer: created(OrderDetail, 'The order with its charge', ORDER_DETAIL_EXAMPLE),
    problems: ['external_id_conflict', 'wrong_state', 'charge_refused'],
    handle: async ({ path: { id }, body, caller }) =>
      showOrder(deps, await attachCharge(deps, id, toOrderCharge(body), caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/cancel',
    operationId: 'cancelOrder',
    summary: 'Cancel an unpaid order',
    description: 'Its charge is canceled with it. Canceling a canceled order changes nothing.',
    tag,
    path,
    answer,
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => showOrder(deps, await cancelOrder(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/reprice',
    operationId: 'repriceOrder',
    summary: 'Fulfil a held order at a new price',
    description:
      'For money that came after the quote had expired, was too little, or came after the order had ended; and for the money of an order whose transfer failed (in live this needs the scope `transfers:write`). The money received buys crypto at the new price.',
    tag,
    path,
    body: RepriceBody,
    answer,
    problems: [
      'wrong_state',
      'order_refused',
      'wallet_blocked',
      'price_unavailable',
      'chain_unavailable',
      'not_configured',
    ],
    handle: async ({ path: { id }, body, caller }) => {
      const found = await requireOrder(deps.db, id, caller?.accountId);
      // A second transfer is the operator's decision.
      if (isPastClaim(found)) requireScope(caller, 'transfers:write');
      return showOrder(deps, await repriceOrder(deps, found.id, body.quoteId));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/retry',
    operationId: 'retryOrder',
    summary: 'Retry a failed transfer',
    description:
      'For an order held as `transfer_reverted` or `payout_voided`, whose transfer moved nothing, or as `transfer_refused` or `wallet_refused`, whose transfer was not begun. The order waits for a new slot; its transfer is checked again.',
    tag,
    path,
    answer,
    problems: ['wrong_state', 'wallet_blocked', 'chain_unavailable', 'not_configured'],
    handle: async ({ path: { id }, caller }) => showOrder(deps, await retryOrder(deps, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/approve',
    operationId: 'approvePayout',
    summary: 'Approve a payout',
    description:
      'By another key or person than those who created the order, took its newest price or reported its payment, by hand or in a file. Where groups of `payouts.approvals` must approve it, by the needed number of their members, no two with a shared maker; `approvals` shows what is missing. Then an order held as `approval_needed` or `over_payout_limit` is in line again; approving is not sending. A new price revokes the approval, and so does a payment that the approver reports. Approving again changes nothing.',
    tag,
    path,
    answer,
    problems: ['wrong_state', 'second_key_needed'],
    handle: async ({ path: { id }, caller }) =>
      showOrder(deps, await approveOrder(deps, id, { by: actorOf(caller), accountId: caller?.accountId })),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/settle',
    operationId: 'settleOrder',
    summary: 'Settle a transfer that the service cannot settle by itself',
    description:
      'For an order held as `transfer_mismatched`: with `delivered`, what arrived counts as the full delivery, and the order is fulfilled; with `returned`, the payment may be refunded, and the order ends when it is; nothing is sent again. For an order that was already paid on the chain, such as after a restore of an older database: `paid`, with the `hash` of the transaction, which is read from the chain and must be final and exactly the transfer of the order, from a sender of the service, and not of another order. Above the limits of payouts this needs another key or person, like an approval. Settling again in the same way changes nothing.',
    tag,
    path,
    body: SettleBody,
    answer,
    problems: ['wrong_state', 'second_key_needed', 'chain_unavailable', 'not_configured'],
    handle: async ({ path: { id }, body: { as, hash }, caller }) => {
      const accountId = caller?.accountId;
      if (as === 'paid') {
        if (hash === undefined) throw invalidRequest([{ path: 'hash', code: 'missing', message: 'is missing' }]);
        return showOrder(deps, await settlePaid(deps, id, { hash, by: actorOf(caller), accountId }));
      }
      if (hash !== undefined) {
        throw invalidRequest([{ path: 'hash', code: 'unknown', message: 'is only for paid' }]);
      }
      return showOrder(deps, await settleMismatch(deps, id, as, accountId));
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/crypto/transactions/:id/void',
    operationId: 'voidTransfer',
    summary: 'Give up a transfer that is in no block',
    description:
      'A transaction that moves nothing uses up its slot. Once that is final, the order is held as `payout_voided` and can be retried, repriced or refunded. If a block includes the transfer first, the order is fulfilled.',
    tag,
    path,
    answer,
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => showOrder(deps, await voidPayout(deps, id, caller?.accountId)),
  });
}
