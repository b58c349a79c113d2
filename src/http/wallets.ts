// Wallets: POST, GET and DELETE /wallets.
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { NETWORKS } from '../chains/asset.ts';
import { sendersOf } from '../chains/chain.ts';
import { AppError, invalidRequest } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { checkPageQuery } from '../lib/paging.ts';
import { type CreateWalletDeps, createWallet } from '../wallets/create.ts';
import { listWallets } from '../wallets/list.ts';
import { removeWallet } from '../wallets/remove.ts';
import { findWallet } from '../wallets/store.ts';
import { walletView } from '../wallets/view.ts';
import { checkWallet, type NewWallet } from '../wallets/wallet.ts';
import { accountOf } from './auth.ts';
import { pageCounts, pageParameters, toPageQuery } from './paging.ts';
import { reader } from './reader.ts';
import { emptyResponse, jsonResponse, problemResponses } from './responses.ts';
import { DateTime, OneOf, Text } from './schemas.ts';

const WalletBody = Type.Object(
  {
    accountId: Text({ description: 'Whose wallet it is; a sandbox opens an account that it does not know.' }),
    name: Text({ description: 'What you call it.' }),
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

const WalletView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    accountId: Type.String(),
    name: Type.String(),
    network: OneOf(NETWORKS),
    address: Type.String({ description: 'With its EIP-55 checksum, however it was sent.' }),
    usableAt: DateTime({ description: 'Nothing can be ordered to it before.' }),
    createdAt: DateTime(),
  },
  { $id: 'Wallet', additionalProperties: false },
);

const WalletsQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only wallets of this account.' })),
    network: Type.Optional(OneOf(NETWORKS, { description: 'Only wallets on this network.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

const WalletsPage = Type.Object(
  { wallets: Type.Array(Type.Unsafe<Static<typeof WalletView>>({ $ref: 'Wallet#' })), ...pageCounts },
  { $id: 'WalletsPage', additionalProperties: false },
);

const EXAMPLE: Static<typeof WalletView> = {
  id: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87',
  accountId: 'acme',
  name: 'Treasury',
  network: 'polygon',
  address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  usableAt: '2026-11-12T14:00:00.000Z',
  createdAt: '2026-11-12T14:00:00.000Z',
};
const PAGE_EXAMPLE = { wallets: [EXAMPLE], total: 1, totalPages: 1, currentPage: 1, hasMore: false };

const walletParams = Type.Object({ id: Type.String({ format: 'uuid' }) });
const readBody = reader(WalletBody, 'body');
const readQuery = reader(WalletsQuery, 'query');

export function walletRoutes(app: FastifyInstance, deps: CreateWalletDeps & { readonly pageSize: number }): void {
  for (const schema of [WalletBody, WalletView, WalletsPage]) app.addSchema(schema);

  app.post(
    '/wallets',
    {
      config: { scope: 'wallets:write' },
      schema: {
        operationId: 'createWallet',
        summary: 'Create a wallet',
        description:
          'Somewhere to pay crypto to. The address is checked as strictly as its network allows; the same name and address again return the first wallet.',
        tags: ['Wallets'],
        body: Type.Unsafe({ $ref: 'NewWallet#' }),
        response: {
          201: jsonResponse(Type.Unsafe({ $ref: 'Wallet#' }), 'The wallet', EXAMPLE, {
            Location: { description: 'Where the wallet is read.', type: 'string' },
            'Idempotent-Replayed': { description: '`true` when an earlier request made it.', type: 'string' },
          }),
          ...problemResponses(
            'invalid_request',
            'malformed_request',
            'not_found',
            'wallet_exists',
            'payload_too_large',
            'unsupported_media_type',
          ),
        },
      },
    },
    async (request, reply) => {
      const { clean, faults } = readBody(request.body);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkWallet(clean, sendersOf(deps.chains))]);
      // With no faults the schema vouches for every required field.
      const input = clean as NewWallet;
      const accountId = accountOf(request, input.accountId);
      const { wallet, replayed } = await createWallet(deps, { ...input, accountId });
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.code(201).header('location', `/wallets/${wallet.id}`);
      return walletView(wallet);
    },
  );

  app.get(
    '/wallets',
    {
      config: { scope: 'wallets:read' },
      schema: {
        operationId: 'listWallets',
        summary: 'List wallets',
        description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
        tags: ['Wallets'],
        querystring: WalletsQuery,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'WalletsPage#' }), 'A page of wallets', PAGE_EXAMPLE),
          ...problemResponses('invalid_request', 'malformed_request'),
        },
      },
    },
    async request => {
      const { clean, faults } = readQuery(request.query);
      const page = toPageQuery(clean, deps.pageSize);
      if (faults.length > 0) throw invalidRequest([...faults, ...checkPageQuery(page)]);
      const { network } = clean;
      const accountId = accountOf(request, clean.accountId);
      return listWallets(deps, { ...page, ...(accountId !== undefined && { accountId }), ...(network && { network }) });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/wallets/:id',
    {
      config: { scope: 'wallets:read' },
      schema: {
        operationId: 'getWallet',
        summary: 'Read a wallet',
        tags: ['Wallets'],
        params: walletParams,
        response: {
          200: jsonResponse(Type.Unsafe({ $ref: 'Wallet#' }), 'The wallet', EXAMPLE),
          ...problemResponses('malformed_request', 'not_found'),
        },
      },
    },
    async request => {
      const wallet = await findWallet(deps.db, requireWalletId(request.params.id), {
        accountId: request.caller?.accountId,
      });
      if (!wallet) throw noSuchWallet();
      return walletView(wallet);
    },
  );

  app.delete<{ Params: { id: string } }>(
    '/wallets/:id',
    {
      config: { scope: 'wallets:write' },
      schema: {
        operationId: 'removeWallet',
        summary: 'Remove a wallet',
        description: 'Nothing can be ordered to it any more; orders that name it go on.',
        tags: ['Wallets'],
        params: walletParams,
        response: { 204: emptyResponse('The wallet is gone'), ...problemResponses('malformed_request', 'not_found') },
      },
    },
    async (request, reply) => {
      await removeWallet(deps, requireWalletId(request.params.id), request.caller?.accountId);
      return reply.code(204).send();
    },
  );
}

/** The id, when it is one that a wallet could have. */
function requireWalletId(id: string): string {
  const canonical = id.toLowerCase();
  if (!isUuid(canonical)) throw noSuchWallet();
  return canonical;
}

function noSuchWallet(): AppError {
  return new AppError('not_found', 'There is no such wallet.');
}
