// Routes of API keys: create, list, revoke. A key may not do or reach more than its maker.
import type { FastifyInstance } from 'fastify';
import { prefixOf } from '../../accounts/api-key.ts';
import { isOfOneAccount } from '../../accounts/caller.ts';
import { createKey, requireKey, revokeKey } from '../../accounts/create-key.ts';
import { mayGrant } from '../../accounts/roles.ts';
import { type ApiKey, listKeys } from '../../accounts/store-keys.ts';
import {
  KEY_EXAMPLE,
  KEY_SECRET_EXAMPLE,
  KeyBody,
  KeyList,
  KeyPath,
  KeysQuery,
  KeyView,
  KeyWithSecret,
} from '../../api/keys.ts';
import { dateOf } from '../../api/schemas.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Database } from '../../storage/database.ts';
import { created, ok } from '../server/answers.ts';
import { actorOf } from '../server/audit.ts';
import { accountOf } from '../server/auth.ts';
import { pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Accounts and keys';

export function keyRoutes(app: FastifyInstance, deps: { readonly db: Database; readonly clock: Clock }): void {
  defineRoute(app, {
    method: 'GET',
    url: '/keys',
    operationId: 'listKeys',
    summary: 'List API keys',
    description: 'Oldest first, including revoked ones. Keys are never shown again.',
    tag,
    query: KeysQuery,
    answer: ok(KeyList, 'The keys', { keys: [KEY_EXAMPLE] }),
    handle: async ({ query, caller }) => {
      const keys = await listKeys(deps.db, accountOf(caller, query.accountId));
      return { keys: keys.map(keyView) };
    },
  });

  defineRoute(app, {
    method: 'POST',
    url: '/keys',
    acrossAccountsBy: 'accounts:write',
    operationId: 'createKey',
    summary: 'Create an API key',
    description:
      'Only this answer shows the key. It reaches no further than its maker, and a key made by a key expires with it at the latest. For an account other than its own, a caller needs `accounts:write` too. A person must have shown a passkey within five minutes.',
    tag,
    body: KeyBody,
    answer: created(KeyWithSecret, 'The key, in full', KEY_SECRET_EXAMPLE),
    handle: async ({ body, caller }) => {
      const { expiresAt, reach, ...rest } = body;
      if (isOfOneAccount(caller) && reach === 'all_accounts') {
        throw new AppError('missing_scope', 'A key reaches no further than you, and you work for one account.');
      }
      if (caller && !mayGrant(caller.scopes, body.scopes)) {
        throw new AppError('missing_scope', 'You cannot give a key a scope that you lack.');
      }
      const { id, text } = await createKey(deps, {
        ...rest,
        createdBy: actorOf(caller),
        ...(isOfOneAccount(caller) ? { reach: 'account' } : reach !== undefined && { reach }),
        ...(expiresAt !== undefined && { expiresAt: dateOf(expiresAt) }),
      });
      return { ...keyView(await requireKey(deps.db, id)), key: text };
    },
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/keys/:id',
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description:
      'Every node refuses it, and every key that it made, within a second. Their unused login links end; people whom they invited stay. Revoking again changes nothing. A caller of one account cannot revoke a key that reaches all.',
    tag,
    path: pathOf(KeyPath, { id: 'key' }),
    answer: ok(KeyView, 'The key, revoked', { ...KEY_EXAMPLE, revokedAt: '2026-11-13T14:00:00.000Z' }),
    handle: async ({ path: { id }, caller }) => {
      const key = await requireKey(deps.db, id, caller?.accountId);
      if (isOfOneAccount(caller) && key.reach === 'all_accounts') {
        throw new AppError('missing_scope', 'This key reaches all accounts, and you work for one.');
      }
      if (caller && !mayGrant(caller.scopes, key.scopes)) {
        throw new AppError('missing_scope', 'This key may do more than you.');
      }
      await revokeKey(deps, id);
      return keyView(await requireKey(deps.db, id));
    },
  });
}

function keyView(key: ApiKey) {
  const { id, accountId, name, scopes, reach, createdAt, createdBy, expiresAt, revokedAt, lastUsedAt } = key;
  return {
    id,
    prefix: prefixOf(id),
    accountId,
    ...(name !== undefined && { name }),
    scopes: [...scopes],
    reach,
    createdAt: createdAt.toISOString(),
    ...(createdBy !== undefined && { createdBy }),
    ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
    ...(revokedAt && { revokedAt: revokedAt.toISOString() }),
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  };
}
