// Routes of wallets: the addresses that crypto is sent to.
import type { FastifyInstance } from 'fastify';
import { checkPage } from '../../api/paging.ts';
import {
  WALLET_EXAMPLE,
  WALLETS_EXAMPLE,
  WalletBody,
  WalletsPage,
  WalletsQuery,
  WalletView,
} from '../../api/wallets.ts';
import { ownAddressesOf } from '../../chains/chain.ts';
import { type CreateWalletDeps, createWallet } from '../../wallets/create.ts';
import { listWallets } from '../../wallets/list.ts';
import { removeWallet } from '../../wallets/remove.ts';
import { requireWallet } from '../../wallets/require.ts';
import { type ShowWalletDeps, showWallet } from '../../wallets/show.ts';
import { walletView } from '../../wallets/view.ts';
import { checkWallet } from '../../wallets/wallet.ts';
import { created, LOCATION, ok, REPLAYED } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { accountOf } from '../server/auth.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Wallets';

type Deps = CreateWalletDeps & Pick<ShowWalletDeps, 'approvalRules'> & { readonly pageSize: number };

export function walletRoutes(app: FastifyInstance, deps: Deps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/wallets',
    operationId: 'createWallet',
    summary: 'Create a wallet',
    description:
      'An address to send crypto to, checked as strictly as its network allows. The same name and address again return the first wallet.',
    tag,
    body: WalletBody,
    checkWhenRefused: ({ body }) => checkWallet(body, ownAddressesOf(deps.chains)),
    answer: created(WalletView, 'The wallet', WALLET_EXAMPLE, { ...LOCATION, ...REPLAYED }),
    problems: ['wallet_exists', 'wallet_blocked'],
    handle: async ({ body, caller }, reply) => {
      const accountId = accountOf(caller, body.accountId);
      const { wallet, replayed } = await createWallet(deps, { ...body, accountId }, actorOf(caller));
      if (replayed) reply.header('idempotent-replayed', 'true');
      reply.header('location', `/wallets/${wallet.id}`);
      return walletView(wallet);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/wallets',
    operationId: 'listWallets',
    summary: 'List wallets',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: WalletsQuery,
    check: checkPage,
    answer: ok(WalletsPage, 'A page of wallets', WALLETS_EXAMPLE),
    handle: async ({ query, caller }) => listWallets(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/wallets/:id',
    operationId: 'getWallet',
    summary: 'Read a wallet',
    tag,
    path: idOf('wallet'),
    answer: ok(WalletView, 'The wallet', WALLET_EXAMPLE),
    handle: async ({ path, caller }) => showWallet(deps, await requireWallet(deps.db, path.id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/wallets/:id',
    operationId: 'removeWallet',
    summary: 'Remove a wallet',
    description: 'New orders cannot use it; existing orders continue.',
    tag,
    path: idOf('wallet'),
    answer: ok(WalletView, 'The wallet as it was', WALLET_EXAMPLE),
    handle: async ({ path, caller }) => walletView(await removeWallet(deps, path.id, caller?.accountId)),
  });
}
