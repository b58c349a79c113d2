// What an order of crypto looks like on the wire.
import { type Static, Type } from 'typebox';
import { PAYOUT_STATES } from '../transactions/payout.ts';
import { ENDINGS, HOLD_REASONS, SETTLEMENT_SCHEDULES } from '../transactions/transaction.ts';
import { CREATED_EXAMPLE, CustomerBody, MethodsBody, VIEW_EXAMPLE } from './charge-schemas.ts';
import { quoteFields } from './quotes.ts';
import { DateTime, OneOf, Text } from './schemas.ts';
import { CryptoTransaction, TRANSACTION_EXAMPLE } from './transactions.ts';

const chargeFields = {
  customer: CustomerBody,
  methods: MethodsBody,
  externalId: Type.Optional(Text({ description: 'Your own id for the charge; it must be new.' })),
  sourceKey: Type.Optional(Text()),
  dueAt: Type.Optional(
    DateTime({
      description: 'When absent: the end of the quote, or of the third day when a boleto is among the methods.',
    }),
  ),
  expireAt: Type.Optional(DateTime({ description: 'Not before dueAt; dueAt when absent.' })),
};

export const OrderChargeBody = Type.Object(chargeFields, {
  $id: 'OrderCharge',
  additionalProperties: false,
  examples: [{ customer: { name: 'Maria da Silva', document: '529.982.247-25' }, methods: ['pix'] }],
});
export type OrderChargeBody = Static<typeof OrderChargeBody>;

const EXAMPLE_WALLET = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';
const EXAMPLE_QUOTE = '019a8b60-71d4-7b3e-8c52-4f9e0a6d1b38';

export const OrderBody = Type.Object(
  {
    accountId: Text({ description: 'Whose order it is. A sandbox opens an account it does not know.' }),
    externalId: Type.Optional(
      Text({ description: 'Your own id. A repeat for the same account returns the first order.' }),
    ),
    quoteId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A quote that still holds. Or give its fields, and be served at the price of now.',
      }),
    ),
    symbol: Type.Optional(quoteFields.symbol),
    network: Type.Optional(quoteFields.network),
    currency: Type.Optional(quoteFields.currency),
    cost: quoteFields.cost,
    quantity: quoteFields.quantity,
    walletId: Type.String({ format: 'uuid', description: 'A wallet of the account, on the network of the order.' }),
    settlementSchedule: OneOf(SETTLEMENT_SCHEDULES, { description: 'Banking days after payment.' }),
    charge: Type.Optional(
      Type.Object(chargeFields, {
        additionalProperties: false,
        description: 'Who pays and how. It may come later, while the price holds.',
      }),
    ),
  },
  {
    $id: 'NewOrder',
    additionalProperties: false,
    examples: [
      {
        accountId: 'acme',
        externalId: 'order-2071',
        quoteId: EXAMPLE_QUOTE,
        walletId: EXAMPLE_WALLET,
        settlementSchedule: 'D0',
        charge: { customer: { name: 'Maria da Silva', document: '529.982.247-25' }, methods: ['pix'] },
      },
      {
        accountId: 'acme',
        symbol: 'usdt',
        network: 'tron',
        currency: 'BRL',
        cost: 500,
        walletId: EXAMPLE_WALLET,
        settlementSchedule: 'D1',
      },
    ],
  },
);
export type OrderBody = Static<typeof OrderBody>;

const { properties: listed } = CryptoTransaction;

export const OrderView = Type.Object(
  {
    ...listed,
    accountId: Type.String(),
    externalId: Type.Optional(Type.String()),
    fee: Type.Number({ description: 'What of the cost the service keeps, exact.' }),
    exact: Type.Object(
      { quantity: Type.String(), cost: Type.String(), price: Type.String(), fee: Type.String() },
      { additionalProperties: false, description: 'The same numbers as text, for a parser that rounds numbers.' },
    ),
    quote: Type.Optional(
      Type.Object(
        {
          id: Type.Optional(Type.String({ format: 'uuid' })),
          source: Type.String({ description: 'Who named the price.' }),
          priceAt: DateTime(),
          expiresAt: DateTime({ description: 'Money that is complete later is held for a new price.' }),
        },
        { additionalProperties: false },
      ),
    ),
    chargeId: Type.Optional(Type.String({ format: 'uuid' })),
    repricedAt: Type.Optional(DateTime({ description: 'When a new price was taken for money that had come.' })),
    transfer: Type.Optional(
      Type.Object(
        {
          state: OneOf(PAYOUT_STATES),
          sender: Type.String(),
          hash: Type.Optional(Type.String({ description: "The chain's own id of the transfer." })),
          confirmations: Type.Integer({ minimum: 0 }),
          confirmationsNeeded: Type.Optional(Type.Integer({ minimum: 1 })),
        },
        { additionalProperties: false, description: 'The way of the crypto through its chain, once it has begun.' },
      ),
    ),
    holdReason: Type.Optional(OneOf(HOLD_REASONS, { description: 'Why the order rests; see the states of an order.' })),
    heldAt: Type.Optional(DateTime()),
    lastError: Type.Optional(Type.String({ description: 'What went wrong last, for an operator.' })),
    endedAs: Type.Optional(
      OneOf(ENDINGS, { description: 'How it ended without being fulfilled; it is in no list then.' }),
    ),
    endedAt: Type.Optional(DateTime()),
  },
  { $id: 'Order', additionalProperties: false },
);

const { properties: viewed } = OrderView;

export const OrderDetail = Type.Object(
  {
    ...viewed,
    charge: Type.Optional(Type.Unsafe({ $ref: 'Charge#' })),
    timeline: Type.Array(
      Type.Object(
        { at: DateTime(), event: Type.String(), holdReason: Type.Optional(OneOf(HOLD_REASONS)) },
        { additionalProperties: false },
      ),
      { description: 'What happened when, from the first.' },
    ),
  },
  { $id: 'OrderDetail', additionalProperties: false },
);

export const RepriceBody = Type.Object(
  {
    quoteId: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A quote for the money that is there; the price of now when absent.',
      }),
    ),
  },
  { $id: 'Reprice', additionalProperties: false, examples: [{}] },
);

export const ORDER_SCHEMAS = [OrderChargeBody, OrderBody, OrderView, OrderDetail, RepriceBody];

const { boleto: _, ...pixOnly } = VIEW_EXAMPLE;

/** An order as events and lists show it. */
export const VIEWED_ORDER_EXAMPLE = {
  ...TRANSACTION_EXAMPLE,
  status: 'pending_payment',
  accountId: 'acme',
  externalId: 'order-2071',
  fee: 0,
  exact: { quantity: '462.962962', cost: '2500', price: '5.4', fee: '0' },
  quote: {
    id: EXAMPLE_QUOTE,
    source: 'table',
    priceAt: '2026-11-12T14:00:00.000Z',
    expiresAt: '2026-11-12T14:05:00.000Z',
  },
  chargeId: CREATED_EXAMPLE.id,
};

export const ORDER_EXAMPLE = {
  ...VIEWED_ORDER_EXAMPLE,
  charge: { ...pixOnly, transactionId: TRANSACTION_EXAMPLE.transactionId },
  timeline: [{ at: '2026-11-12T14:00:00.000Z', event: 'crypto_transaction.pending_payment' }],
};
