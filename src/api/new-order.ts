// The bodies that order crypto, add its payer, or take a new price; and their mapping to the noun.
import { type Static, Type } from 'typebox';
import type { OrderCharge } from '../orders/charge-of-order.ts';
import { SETTLEMENT_SCHEDULES, SETTLEMENTS } from '../orders/order.ts';
import { MethodsBody } from './new-charge.ts';
import { noteFields, toNotes } from './notes.ts';
import { PayerBody, toPayer } from './payers.ts';
import { QUOTE_EXAMPLE, quoteFields } from './quotes.ts';
import { AccountId, DateTime, dateOf, OneOf, Text, Uuid } from './schemas.ts';
import { TRANSACTION_EXAMPLE } from './transactions.ts';

const chargeFields = {
  customer: PayerBody,
  methods: MethodsBody,
  externalId: Type.Optional(Text({ description: 'Your own id for the charge; it must be new.' })),
  sourceKey: Type.Optional(Text()),
  ...noteFields,
  dueAt: Type.Optional(
    DateTime({
      description: 'When absent, the end of the quote or, with a boleto, of the third day.',
    }),
  ),
  expireAt: Type.Optional(
    DateTime({
      description: 'Not before dueAt; dueAt when absent. A pix ends with the price of the order, if that is earlier.',
    }),
  ),
};

const CHARGE_EXAMPLE = { customer: { name: 'Maria da Silva', document: '529.982.247-25' }, methods: ['pix'] };

export const OrderChargeBody = Type.Object(chargeFields, {
  $id: 'OrderCharge',
  additionalProperties: false,
  examples: [CHARGE_EXAMPLE],
});
type OrderChargeBody = Static<typeof OrderChargeBody>;

export const OrderBody = Type.Object(
  {
    accountId: AccountId({ description: 'The account that orders. A sandbox opens an account it does not know.' }),
    externalId: Type.Optional(
      Text({ description: 'Your own id. A repeat for the same account returns the first order.' }),
    ),
    quoteId: Type.Optional(
      Uuid({
        description:
          'A quote that has not expired. Alternatively the fields of a quote, to order at the current price.',
      }),
    ),
    symbol: Type.Optional(quoteFields.symbol),
    network: Type.Optional(quoteFields.network),
    currency: Type.Optional(quoteFields.currency),
    cost: quoteFields.cost,
    quantity: quoteFields.quantity,
    walletId: Uuid({ description: 'A wallet of the account, on the network of the order.' }),
    settlementSchedule: OneOf(SETTLEMENT_SCHEDULES, { description: 'Banking days after payment.' }),
    charge: Type.Optional(
      Type.Object(chargeFields, {
        additionalProperties: false,
        description: 'The payer and the methods. It can be added later, until the quote expires.',
      }),
    ),
  },
  {
    $id: 'NewOrder',
    additionalProperties: false,
    examples: [
      {
        accountId: 'demo',
        externalId: 'order-2071',
        symbol: TRANSACTION_EXAMPLE.symbol,
        network: TRANSACTION_EXAMPLE.network,
        currency: 'BRL',
        cost: 500,
        walletId: TRANSACTION_EXAMPLE.walletId,
        settlementSchedule: 'D0',
        charge: CHARGE_EXAMPLE,
      },
      {
        accountId: 'demo',
        quoteId: QUOTE_EXAMPLE.id,
        walletId: TRANSACTION_EXAMPLE.walletId,
        settlementSchedule: 'D1',
      },
    ],
  },
);
export type OrderBody = Static<typeof OrderBody>;

export const RepriceBody = Type.Object(
  {
    quoteId: Type.Optional(
      Uuid({ description: 'A quote for exactly the money received; the current price when absent.' }),
    ),
  },
  { $id: 'Reprice', additionalProperties: false, examples: [{}] },
);

export const SettleBody = Type.Object(
  {
    as: OneOf(SETTLEMENTS, {
      description:
        'What arrived counts as the full delivery, the payment may be refunded, or the order was paid in the transaction `hash`.',
    }),
    hash: Type.Optional(
      Type.String({
        minLength: 64,
        maxLength: 66,
        description: 'Only with `paid`: the transaction that paid the order.',
      }),
    ),
  },
  {
    $id: 'Settlement',
    additionalProperties: false,
    examples: [
      { as: 'delivered' },
      { as: 'paid', hash: '0x8f2d3c5e1a7b9d4f6082c4e6a8b0d2f41357913579abcdef02468ace13579bdf' },
    ],
  },
);
export type SettleBody = Static<typeof SettleBody>;

export const NEW_ORDER_SCHEMAS = [OrderChargeBody, OrderBody, RepriceBody, SettleBody];

/** The payer and the methods of an order, for the noun. */
export function toOrderCharge(body: OrderChargeBody): OrderCharge {
  const { customer, methods, externalId, sourceKey, dueAt, expireAt } = body;
  return {
    customer: toPayer(customer),
    methods: [...new Set(methods)],
    ...(externalId !== undefined && { externalId }),
    ...(sourceKey !== undefined && { sourceKey }),
    ...toNotes(body),
    ...(dueAt !== undefined && { dueAt: dateOf(dueAt) }),
    ...(expireAt !== undefined && { expireAt: dateOf(expireAt) }),
  };
}
