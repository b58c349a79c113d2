// Routes of acts on a wallet: prove or declare its holder, approve it.
import type { FastifyInstance } from 'fastify';
import {
  WALLET_CHALLENGE_EXAMPLE,
  WALLET_EXAMPLE,
  WalletChallenge,
  WalletDeclarationBody,
  WalletProofBody,
  WalletView,
} from '../../api/wallets.ts';
import { type ApproveDeps, approveWallet } from '../../wallets/approve.ts';
import { checkDeclaration, declareWallet } from '../../wallets/declare.ts';
import { challengeWallet, proveWallet } from '../../wallets/prove.ts';
import { type ShowWalletDeps, showWallet } from '../../wallets/show.ts';
import { walletView } from '../../wallets/view.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { idOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Wallets';
const path = idOf('wallet');
const answer = ok(WalletView, 'The wallet as it is then', WALLET_EXAMPLE);

export function walletActionRoutes(app: FastifyInstance, deps: ApproveDeps & ShowWalletDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/wallets/:id/challenge',
    operationId: 'challengeWallet',
    summary: 'Ask for a text to sign',
    description:
      'Signed with the key of the wallet, it proves that its holder agrees. It is valid once, for a day; a new one replaces it. A contract has no key: send a declaration for it.',
    tag,
    path,
    answer: created(WalletChallenge, 'The text to sign', WALLET_CHALLENGE_EXAMPLE),
    problems: ['wrong_state'],
    handle: async ({ path: { id }, caller }) => {
      const { message, expiresAt } = await challengeWallet(deps, id, caller?.accountId);
      return { message, expiresAt: expiresAt.toISOString() };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/wallets/:id/proof',
    operationId: 'proveWallet',
    summary: 'Prove who holds a wallet',
    description:
      'The signature of the open challenge by the key of the wallet. The same signature again changes nothing; one by another key leaves the challenge open.',
    tag,
    path,
    body: WalletProofBody,
    answer,
    problems: ['wrong_state'],
    handle: async ({ path: { id }, body, caller }) =>
      walletView(await proveWallet(deps, id, { ...body, by: actorOf(caller) }, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/wallets/:id/declaration',
    operationId: 'declareWallet',
    summary: 'Declare who holds a wallet',
    description:
      'Records a declaration, with its time and the key that sent it. It is stored and never shown again. A proof takes precedence.',
    tag,
    path,
    body: WalletDeclarationBody,
    check: ({ body }) => checkDeclaration(body),
    answer,
    handle: async ({ path: { id }, body, caller }) =>
      walletView(await declareWallet(deps, id, body, { by: actorOf(caller), accountId: caller?.accountId })),
  });

  defineRoute(app, {
    method: 'POST',
    url: '/wallets/:id/approve',
    operationId: 'approveWallet',
    summary: 'Approve a wallet',
    description:
      'By another key or person than the one that created it. Where `TRILHO_WALLET_APPROVAL` requires it, no order can use a wallet before. Where a group of `payouts.approvals` must approve it, by the needed number of its members, no two with a shared maker; `approvals` shows what is missing. Approving again changes nothing.',
    tag,
    path,
    answer,
    problems: ['second_key_needed'],
    handle: async ({ path: { id }, caller }) =>
      showWallet(deps, await approveWallet(deps, id, { by: actorOf(caller), accountId: caller?.accountId })),
  });
}
