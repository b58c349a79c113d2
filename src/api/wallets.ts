// Wallets: where crypto is paid to.
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { WALLET_WARNING_CODES } from '../wallets/wallet.ts';
import { pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

export const WalletBody = Type.Object(
  {
    accountId: Text({ description: 'The account the wallet belongs to. A sandbox opens an account it does not know.' }),
    name: Text({ description: 'Your own name for it.' }),
    network: OneOf(NETWORKS),
    address: Text({
      description:
        'EVM: 0x and 40 hexadecimal digits, with the EIP-55 checksum when small and capital letters are mixed. Tron: base58, as wallets show it.',
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
    address: Type.String({ description: 'With its EIP-55 checksum, however it was sent.' }),
    warnings: Type.Optional(
      Type.Array(WalletWarning, {
        description: 'What a node of the network said of the address when the wallet was created.',
      }),
    ),
    usableAt: DateTime({ description: 'No order can name it before.' }),
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
  usableAt: '2026-11-12T14:00:00.000Z',
  createdAt: '2026-11-12T14:00:00.000Z',
};

export const WALLETS_EXAMPLE: Static<typeof WalletsPage> = {
  wallets: [WALLET_EXAMPLE],
  total: 1,
  totalPages: 1,
  currentPage: 1,
  hasMore: false,
};

export const WALLET_SCHEMAS = [WalletBody, WalletView, WalletsPage];
