// Wallets on the wire: addresses that crypto is sent to.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { FAMILIES } from '../chains/families.ts';
import type { ChainFamily } from '../chains/family.ts';
import { MESSAGE_SIGNATURE } from '../chains/signed-message.ts';
import { OWNERSHIPS, WALLET_WARNING_CODES } from '../wallets/wallet.ts';
import { ApprovalsView } from './approvals.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { AccountId, DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

export const WalletBody = Type.Object(
  {
    accountId: AccountId({
      description: 'The account the wallet belongs to. A sandbox opens an account it does not know.',
    }),
    name: Text({ description: 'Your own name for it.' }),
    network: OneOf(NETWORKS),
    address: Text({
      description: FAMILIES.map(({ label, addresses }) => `${label}: ${addresses.description}.`).join(' '),
    }),
  },
  {
    $id: 'NewWallet',
    additionalProperties: false,
    examples: [
      {
        accountId: 'acme',
        name: 'Treasury',
        network: 'polygon',
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      },
    ],
  },
);

const WalletWarning = Type.Object(
  {
    path: Type.Literal('address'),
    code: OneOf(WALLET_WARNING_CODES),
    message: Type.String(),
  },
  { additionalProperties: false },
);

export const WalletView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    name: Type.String(),
    network: OneOf(NETWORKS),
    address: Type.String({ description: 'With its EIP-55 checksum, in any spelling of the request.' }),
    warnings: Type.Optional(
      Type.Array(WalletWarning, {
        description: 'What a node of the network reported about the address when the wallet was created.',
      }),
    ),
    ownership: OneOf(OWNERSHIPS, {
      description: 'Whether its holder is on record: by a signature of its key (`proven`), by a declaration, or not.',
    }),
    ownershipAt: Type.Optional(DateTime({ description: 'When the newest proof or declaration was recorded.' })),
    approvedAt: Type.Optional(
      DateTime({
        description:
          'When its approvals were complete: that of a second key or an operator, or those of every group that must approve it.',
      }),
    ),
    approvals: Type.Optional(ApprovalsView),
    usableAt: DateTime({ description: 'No order can use it before.' }),
    createdAt: DateTime(),
  },
  { $id: 'Wallet', additionalProperties: false },
);

export const WalletsQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only wallets of this account.' })),
    network: Type.Optional(OneOf(NETWORKS, { description: 'Only wallets on this network.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const WalletsPage = Type.Object(
  { wallets: Type.Array(Ref(WalletView)), ...pageCounts },
  { $id: 'WalletsPage', additionalProperties: false },
);

export const WALLET_EXAMPLE: Static<typeof WalletView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87',
  accountId: 'acme',
  name: 'Treasury',
  network: 'polygon',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  ownership: 'proven',
  ownershipAt: '2026-11-12T14:05:00.000Z',
  usableAt: '2026-11-12T14:00:00.000Z',
  createdAt: '2026-11-12T14:00:00.000Z',
};

export const WALLETS_EXAMPLE: Static<typeof WalletsPage> = {
  wallets: [WALLET_EXAMPLE],
  ...ONE_PAGE,
};

export const WalletChallenge = Type.Object(
  {
    message: Type.String({ description: 'The text to sign, byte for byte.' }),
    expiresAt: DateTime({ description: 'Signatures are not accepted from then on.' }),
  },
  { $id: 'WalletChallenge', additionalProperties: false },
);

export const WALLET_CHALLENGE_EXAMPLE: Static<typeof WalletChallenge> = {
  message: [
    'Trilho asks for proof that you hold this wallet.',
    '',
    'Account: "acme"',
    `Wallet: ${WALLET_EXAMPLE.id}`,
    `Network: ${WALLET_EXAMPLE.network}`,
    `Address: ${WALLET_EXAMPLE.address}`,
    'Nonce: 5f0d4a8c2be1937746a2d1c08e9b3f70',
    'Expires: 2026-11-13T14:00:00.000Z',
    '',
    'To sign this text moves nothing and costs nothing.',
  ].join('\n'),
  expiresAt: '2026-11-13T14:00:00.000Z',
};

function signingIn({ label, messages }: ChainFamily): string {
  const standard = messages.standard === undefined ? '' : ` (${messages.standard})`;
  return `${label}: \`${messages.signedWith}\`${standard}.`;
}

export const WalletProofBody = Type.Object(
  {
    signature: Type.String({
      pattern: MESSAGE_SIGNATURE.source,
      maxLength: 132,
      description: `65 bytes in hexadecimal digits, with or without 0x. ${FAMILIES.map(signingIn).join(' ')}`,
    }),
  },
  {
    $id: 'WalletProof',
    additionalProperties: false,
    examples: [{ signature: `0x${'5f3c9a01'.repeat(16)}1b` }],
  },
);

const MAX_STATEMENT_LENGTH = 2_000;

export const WalletDeclarationBody = Type.Object(
  {
    holderName: Text({ description: 'The holder of the wallet: the name of a person or a company.' }),
    holderDocument: Type.Optional(
      Text({ description: 'CPF or CNPJ of the holder, punctuation allowed. Never shown again.', maxLength: 32 }),
    ),
    statement: Text({
      description: 'The text of the declaration.',
      maxLength: MAX_STATEMENT_LENGTH,
    }),
  },
  {
    $id: 'WalletDeclaration',
    additionalProperties: false,
    examples: [
      {
        holderName: 'Maria da Silva',
        holderDocument: '529.982.247-25',
        statement: 'I hold this wallet myself, and no one else can spend from it.',
      },
    ],
  },
);

export const WALLET_SCHEMAS = [
  WalletBody,
  WalletView,
  WalletsPage,
  WalletChallenge,
  WalletProofBody,
  WalletDeclarationBody,
];
