// Routes of accounts: open and list.
import type { FastifyInstance } from 'fastify';
import { isOfOneAccount } from '../../accounts/caller.ts';
import { openNamedAccount } from '../../accounts/open-account.ts';
import { type Account, listAccounts } from '../../accounts/store.ts';
import { ACCOUNT_EXAMPLE, AccountBody, AccountEntry, AccountList } from '../../api/keys.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../storage/database.ts';
import { created, ok, REPLAYED } from '../server/answers.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Accounts and keys';

export function accountRoutes(app: FastifyInstance, deps: { readonly db: Database; readonly clock: Clock }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/accounts',
    operationId: 'listAccounts',
    summary: 'List accounts',
    description: 'Every account of the service, oldest first; to a caller of one account, that one.',
    tag,
    answer: ok(AccountList, 'The accounts', { accounts: [ACCOUNT_EXAMPLE] }),
    handle: async ({ caller }) => {
      const own = isOfOneAccount(caller) ? caller?.accountId : undefined;
      const accounts = await listAccounts(deps.db);
      return { accounts: accounts.filter(({ id }) => own === undefined || id === own).map(accountView) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/accounts',
    operationId: 'openAccount',
    summary: 'Open an account',
    description: 'An account that is already open is returned as it is.',
    tag,
    body: AccountBody,
    answer: created(AccountEntry, 'The account', ACCOUNT_EXAMPLE, REPLAYED),
    handle: async ({ body }, reply) => {
      const { account, isNew } = await openNamedAccount(deps, body.id);
      if (!isNew) reply.header('idempotent-replayed', 'true');
      return accountView(account);
    },
  });
}

function accountView({ id, createdAt }: Account) {
  return { id, createdAt: createdAt.toISOString() };
}
