// An order of crypto in answers and events, and the lists of orders on hold and of ended ones.
import { type Static, Type } from 'typebox';
import { ENDINGS, HOLD_REASONS, MISMATCH_SETTLEMENTS, ORDER_EVENT_TYPES } from '../orders/order.ts';
import { PAYOUT_STATES } from '../payouts/payout.ts';
import { ApprovalsView } from './approvals.ts';
import { CHARGE_EXAMPLE, ChargeView } from './charges.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { QUOTE_EXAMPLE } from './quotes.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';
import { CryptoTransaction, TRANSACTION_EXAMPLE } from './transactions.ts';

const { properties: listed } = CryptoTransaction;

const OrderView = Type.Object(
  {
    ...listed,
    accountId: Type.String(),
    externalId: Type.Optional(Type.String()),
    fee: Type.Number({ description: 'The fee of the service, exact.' }),
    exact: Type.Object(
      { quantity: Type.String(), cost: Type.String(), price: Type.String(), fee: Type.String() },
      { additionalProperties: false, description: 'The same numbers as text, for a parser that rounds numbers.' },
    ),
    quote: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Uuid()),
          source: Type.String({ description: 'Where the price comes from.' }),
          priceAt: DateTime(),
          expiresAt: DateTime({ description: 'An order that is fully paid later is held for a new price.' }),
        },
        { additionalProperties: false },
      ),
    ),
    chargeId: Type.Optional(Uuid()),
    repricedAt: Type.Optional(DateTime({ description: 'When a new price was taken for money already received.' })),
    transfer: Type.Optional(
      Type.Object(
        {
          state: OneOf(PAYOUT_STATES),
          sender: Type.String(),
          hash: Type.Optional(Type.String({ description: "The chain's own id of the transfer." })),
          confirmations: Type.Integer({ minimum: 0 }),
          confirmationsNeeded: Type.Optional(Type.Integer({ minimum: 1 })),
          voidRequestedAt: Type.Optional(
            DateTime({
              description: 'When the transfer was given up, by an operator or because it may not be signed.',
            }),
          ),
        },
        { additionalProperties: false, description: 'The transfer on its chain, once it has begun.' },
      ),
    ),
    approvedAt: Type.Optional(
      DateTime({
        description:
          'When the approvals of its payout were complete: that of a second key or an operator, or those of every group that must approve it.',
      }),
    ),
    settledAs: Type.Optional(
      OneOf(MISMATCH_SETTLEMENTS, {
        description: 'How an operator settled a mismatched transfer.',
      }),
    ),
    waitingSince: Type.Optional(DateTime({ description: 'Since when the order is due and waits to be sent.' })),
    holdReason: Type.Optional(
      OneOf(HOLD_REASONS, { description: 'Why the order is on hold; see the states of an order.' }),
    ),
    heldAt: Type.Optional(DateTime()),
    lastError: Type.Optional(Type.String({ description: 'The last error, for an operator.' })),
    endedAs: Type.Optional(
      OneOf(ENDINGS, { description: 'How it ended without being fulfilled; then it is in the list of ended orders.' }),
    ),
    endedAt: Type.Optional(DateTime()),
  },
  { $id: 'Order', additionalProperties: false },
);

const { properties: viewed } = OrderView;

export const OrderDetail = Type.Object(
  {
    ...viewed,
    approvals: Type.Optional(ApprovalsView),
    charge: Type.Optional(Ref(ChargeView)),
    timeline: Type.Array(
      Type.Object(
        { at: DateTime(), event: OneOf(ORDER_EVENT_TYPES), holdReason: Type.Optional(OneOf(HOLD_REASONS)) },
        { additionalProperties: false },
      ),
      { description: 'The history, oldest first.' },
    ),
  },
  { $id: 'OrderDetail', additionalProperties: false },
);

export const HeldQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only orders of this account.' })),
    reason: Type.Optional(OneOf(HOLD_REASONS, { description: 'Only orders held for this reason.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const HeldPage = Type.Object(
  { orders: Type.Array(Ref(OrderView)), ...pageCounts },
  { $id: 'HeldOrdersPage', additionalProperties: false },
);

export const EndedQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only orders of this account.' })),
    endedAs: Type.Optional(OneOf(ENDINGS, { description: 'Only orders with this ending.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const EndedPage = Type.Object(
  { orders: Type.Array(Ref(OrderView)), ...pageCounts },
  { $id: 'EndedOrdersPage', additionalProperties: false },
);

export const ORDER_SCHEMAS = [OrderView, OrderDetail, HeldPage, EndedPage];

const { boleto: _, ...pixOnly } = CHARGE_EXAMPLE;

/** An order in events and lists. */
export const ORDER_EXAMPLE: Static<typeof OrderView> = {
  ...TRANSACTION_EXAMPLE,
  status: 'pending_payment',
  accountId: 'acme',
  externalId: 'order-2071',
  fee: 0,
  exact: { quantity: '462.962962', cost: '2500', price: '5.4', fee: '0' },
  quote: {
    id: QUOTE_EXAMPLE.id,
    source: 'table',
    priceAt: '2026-11-12T14:00:00.000Z',
    expiresAt: '2026-11-12T14:05:00.000Z',
  },
  chargeId: CHARGE_EXAMPLE.id,
};

export const ORDER_DETAIL_EXAMPLE: Static<typeof OrderDetail> = {
  ...ORDER_EXAMPLE,
  charge: { ...pixOnly, transactionId: TRANSACTION_EXAMPLE.transactionId },
  timeline: [{ at: '2026-11-12T14:00:00.000Z', event: 'crypto_transaction.pending_payment' }],
};

export const HELD_EXAMPLE: Static<typeof HeldPage> = {
  orders: [
    {
      ...ORDER_EXAMPLE,
      status: 'pending_fulfillment',
      holdReason: 'underpaid',
      heldAt: ORDER_EXAMPLE.updatedAt,
    },
  ],
  ...ONE_PAGE,
};

export const ENDED_EXAMPLE: Static<typeof EndedPage> = {
  orders: [{ ...ORDER_EXAMPLE, endedAs: 'expired', endedAt: ORDER_EXAMPLE.updatedAt }],
  ...ONE_PAGE,
};
