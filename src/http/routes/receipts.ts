// Routes of signed receipts of payouts.
import type { FastifyInstance } from 'fastify';
import { RECEIPT_EXAMPLE, RECEIPT_KEYS_EXAMPLE, ReceiptKeysView, ReceiptView } from '../../api/receipts.ts';
import { AppError, requireFound } from '../../lib/errors.ts';
import type { Mode } from '../../lib/mode.ts';
import { requireOrder } from '../../orders/show.ts';
import { signedReceipt } from '../../payouts/receipts/receipt.ts';
import type { ReceiptKey } from '../../payouts/receipts/receipt-key.ts';
import { findPayoutByEither } from '../../payouts/store/list.ts';
import { findPayoutOfOwner } from '../../payouts/store/payouts.ts';
import { readReceiptKeys } from '../../payouts/store/receipt-keys.ts';
import type { Sql } from '../../storage/database.ts';
import { ok } from '../server/answers.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

export type ReceiptDeps = { readonly db: Sql; readonly mode: Mode; readonly receiptKey: ReceiptKey };

const answer = ok(ReceiptView, 'The receipt, with its signature', RECEIPT_EXAMPLE);
const description =
  'What left, where to, in which block, and the network fee; signed, so that anyone can verify it without the service (`trilho receipt verify`). It is available once the payout is final, and always the same.';

export function receiptRoutes(app: FastifyInstance, { db, mode, receiptKey }: ReceiptDeps): void {
  defineRoute(app, {
    method: 'GET',
    url: '/crypto/transactions/:id/receipt',
    operationId: 'getOrderReceipt',
    summary: 'Read the receipt of an order',
    description,
    tag: 'Crypto transactions',
    path: idOf('crypto transaction'),
    answer,
    problems: ['wrong_state'],
    handle: async ({ path, caller }) => {
      const order = await requireOrder(db, path.id, caller?.accountId);
      const payout = await findPayoutOfOwner(db, order.id, order.accountId);
      if (!payout) throw new AppError('wrong_state', 'This order has no payout yet.');
      return signedReceipt(payout, mode, receiptKey);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/payouts/:id/receipt',
    operationId: 'getPayoutReceipt',
    summary: 'Read the receipt of a payout',
    description,
    tag: 'Payouts',
    path: idOf('payout'),
    answer,
    problems: ['wrong_state'],
    handle: async ({ path, caller }) => {
      const payout = requireFound(await findPayoutByEither(db, path.id, caller?.accountId), 'payout');
      return signedReceipt(payout, mode, receiptKey);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/receipts/keys',
    operationId: 'listReceiptKeys',
    summary: 'List the keys that sign receipts',
    description:
      'Newest first. A receipt contains its public key; compare it with these to know that it is from this service.',
    tag: 'Payouts',
    answer: ok(ReceiptKeysView, 'The public keys', RECEIPT_KEYS_EXAMPLE),
    handle: async () => ({
      keys: (await readReceiptKeys(db)).map(key => ({ ...key, createdAt: key.createdAt.toISOString() })),
    }),
  });
}
