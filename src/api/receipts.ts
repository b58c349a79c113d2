// Receipts of payouts, and the keys that sign them.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { SENT_SYMBOLS } from '../chains/networks.ts';
import { MODES } from '../lib/mode.ts';
import { RECEIPT_TYPE, SIGNATURE_ALGORITHM } from '../payouts/receipts/receipt.ts';
import { PAYOUT_EXAMPLE } from './payouts.ts';
import { DateTime, OneOf, Uuid } from './schemas.ts';

const CLOSED = { additionalProperties: false } as const;

export const ReceiptView = Type.Object(
  {
    receipt: Type.Object(
      {
        type: OneOf([RECEIPT_TYPE]),
        mode: OneOf(MODES, { description: 'In a sandbox nothing moved.' }),
        payoutId: Uuid(),
        transactionId: Type.Optional(Uuid({ description: 'The order; absent for a sweep.' })),
        accountId: Type.String(),
        network: OneOf(NETWORKS),
        chainId: Type.Optional(Type.Integer({ description: 'The chain id of the network; absent on Tron.' })),
        isTest: Type.Optional(
          Type.Boolean({
            description: 'Whether it was a test node or a simulation of the network: then the crypto is worth nothing.',
          }),
        ),
        symbol: OneOf(SENT_SYMBOLS),
        token: Type.Optional(
          Type.String({ description: 'The contract of the asset; absent for the coin of the network.' }),
        ),
        quantity: Type.String({ description: 'Units of the asset, exact, as text.' }),
        sender: Type.String(),
        destination: Type.String(),
        hash: Type.String({ description: 'The transaction on the network.' }),
        block: Type.Object({ number: Type.Integer(), hash: Type.String() }, CLOSED),
        networkFee: Type.Object({ amount: Type.String(), coin: Type.String() }, CLOSED),
        sentAt: DateTime({ description: 'When the signed transfer was first given to a node.' }),
        finalAt: DateTime({ description: 'When it became final.' }),
      },
      CLOSED,
    ),
    signature: Type.Object(
      {
        algorithm: OneOf([SIGNATURE_ALGORITHM]),
        keyId: Type.String({ description: 'The thumbprint of the public key (RFC 7638).' }),
        publicKey: Type.String({ description: 'Its 32 bytes, as base64url.' }),
        value: Type.String({
          description: 'Base64url. The signature is over `receipt` in its canonical form (RFC 8785).',
        }),
      },
      CLOSED,
    ),
  },
  { $id: 'PayoutReceipt', ...CLOSED },
);

export const ReceiptKeysView = Type.Object(
  {
    keys: Type.Array(Type.Object({ id: Type.String(), publicKey: Type.String(), createdAt: DateTime() }, CLOSED), {
      description: 'Every key that has signed receipts, newest first.',
    }),
  },
  { $id: 'ReceiptKeys', ...CLOSED },
);

const KEY = {
  id: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  publicKey: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};
const { networkFee = { amount: '0', coin: '' }, block = { number: 0, hash: '' }, hash = '' } = PAYOUT_EXAMPLE;

export const RECEIPT_EXAMPLE: Static<typeof ReceiptView> = {
  receipt: {
    type: RECEIPT_TYPE,
    mode: 'live',
    payoutId: PAYOUT_EXAMPLE.id,
    transactionId: '019a7f3c-5b20-7e61-b3a4-90c1d2e3f405',
    accountId: 'acme',
    network: 'polygon',
    chainId: 137,
    isTest: false,
    symbol: 'usdc',
    token: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    quantity: '462.962962',
    sender: PAYOUT_EXAMPLE.sender,
    destination: PAYOUT_EXAMPLE.destination,
    hash,
    block,
    networkFee,
    sentAt: '2026-11-13T14:18:00.000Z',
    finalAt: '2026-11-13T14:20:00.000Z',
  },
  signature: {
    algorithm: SIGNATURE_ALGORITHM,
    keyId: KEY.id,
    publicKey: KEY.publicKey,
    value: 'V8AmuoQlAS7Ug2fGlQSVjNXQ3mDBCf9vA4gFyQO0u5oFvhY0uGdWk0Hy4YFCvJ1eN7y4B0S4qWmYyqkJmF2xBg',
  },
};

export const RECEIPT_KEYS_EXAMPLE: Static<typeof ReceiptKeysView> = {
  keys: [{ ...KEY, createdAt: '2026-11-01T12:00:00.000Z' }],
};

export const RECEIPT_SCHEMAS = [ReceiptView, ReceiptKeysView];
