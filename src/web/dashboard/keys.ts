// API keys: the list, creating and revoking.
import type { FastifyInstance } from 'fastify';
import { prefixOf } from '../../accounts/api-key.ts';
import { isOfOneAccount } from '../../accounts/caller.ts';
import { requireKey } from '../../accounts/create-key.ts';
import { listPeopleOf } from '../../accounts/people/store-people.ts';
import { ACCOUNT_SCOPES, SCOPES } from '../../accounts/scopes.ts';
import { readActorNames } from '../../accounts/store-actors.ts';
import { listKeys } from '../../accounts/store-keys.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, accountIn, defineAct, type Field } from './act.ts';
import { textOf } from './api-call.ts';
import type { ListDeps } from './charges.ts';
import { accountField } from './choices.ts';
import { filled, textField } from './form.ts';
import { when } from './formats.ts';
import { actorName, badge, facts, table } from './parts.ts';
import { may, shell } from './shell.ts';

type Deps = ListDeps & ActDeps;

const GRANTS = [
  { value: 'all', label: 'everything of the account' },
  { value: 'read', label: 'reading everything of the account' },
];

const REACH_FIELD: Field = {
  name: 'reach',
  label: 'Reaches',
  type: 'select',
  options: [
    { value: 'account', label: 'its account alone' },
    { value: 'all_accounts', label: 'all accounts, where its scopes allow' },
  ],
};

export function keyPages(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard/keys', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const keys = await listKeys(deps.db, caller?.accountId);
    const names = await readActorNames(
      deps.db,
      keys.flatMap(({ createdBy }) => createdBy ?? []),
    );
    const now = deps.clock.now();
    const mayWrite = may(caller, 'keys:write');
    const rows = keys
      .toReversed()
      .map(key => [
        html`<code>${prefixOf(key.id)}</code>`,
        key.name ?? '–',
        key.reach === 'all_accounts' ? [key.accountId, ', reaches all'] : key.accountId,
        key.revokedAt ? badge('revoked') : key.expiresAt && key.expiresAt <= now ? badge('expired') : badge('ok'),
        html`<details><summary>${key.scopes.length} scopes</summary>${key.scopes.join(', ')}</details>`,
        when(key.lastUsedAt),
        [when(key.createdAt), key.createdBy !== undefined && [' by ', actorName(names, key.createdBy)]],
        mayWrite &&
          !key.revokedAt &&
          !(isOfOneAccount(caller) && key.reach === 'all_accounts') &&
          html`<a class="button secondary small" href="/dashboard/keys/${key.id}/revoke">Revoke</a>`,
      ]);
    const page = shell(deps, request, {
      title: 'Keys',
      section: 'keys',
      acts: mayWrite && html`<a class="button" href="/dashboard/keys/new">New key</a>`,
      body: table({
        caption: 'API keys',
        head: ['Key', 'Name', 'Account', 'Standing', 'May', 'Last used', 'Made', ''],
        rows,
        empty: 'There is no key yet.',
      }),
    });
    return sendHtml(request, reply, page);
  });

  defineAct(app, deps, {
    url: '/keys/new',
    section: 'keys',
    countsForms: true,
    ask: async request => ({
      title: 'New key',
      text: html`<p>A program with this key acts for the account. The key is shown once.</p>`,
      fields: [
        ...(await accountField(deps, request)),
        { name: 'name', label: 'Name', hint: 'What it is for.' },
        {
          name: 'grant',
          label: 'May do',
          type: 'select',
          options: [...GRANTS, ...(request.caller?.scopes ?? SCOPES).map(value => ({ value, label: `only ${value}` }))],
        },
        ...(isOfOneAccount(request.caller) ? [] : [REACH_FIELD]),
        {
          name: 'expiresDay',
          label: 'Expires',
          type: 'date',
          hint: 'Optional: without it the key is valid until it is revoked.',
        },
      ],
      button: 'Create the key',
      back: '/dashboard/keys',
    }),
    call: (fields, _, request) => {
      const grant = textField(fields, 'grant');
      const day = textField(fields, 'expiresDay');
      const scopes =
        grant === 'all'
          ? ACCOUNT_SCOPES
          : grant === 'read'
            ? ACCOUNT_SCOPES.filter(scope => scope.endsWith(':read'))
            : [grant];
      return {
        method: 'POST',
        url: '/keys',
        body: {
          ...accountIn(fields, request),
          ...filled(fields, ['name', 'reach']),
          scopes,
          ...(day !== '' && { expiresAt: `${day}T00:00:00-03:00` }),
        },
      };
    },
    done: ({ key }) => ({
      title: 'The new key',
      shown: html`<section class="card"><p>It is shown only once. Put it where the program keeps its secrets.</p><p><code class="long">${textOf(key)}</code></p><p><a class="button" href="/dashboard/keys">I have saved it</a></p></section>`,
    }),
  });

  defineAct(app, deps, {
    url: '/keys/:id/revoke',
    section: 'keys',
    ask: async (request, { id = '' }) => {
      const key = await requireKey(deps.db, id, request.caller?.accountId);
      const people = await listPeopleOf(deps.db, [`key:${key.id}`]);
      return {
        title: 'Revoke this key?',
        text: html`<p>Every program that uses it, or a key that it made, is refused within a second. It cannot be undone.</p>${facts(
          [
            ['Key', html`<code>${prefixOf(key.id)}</code>`],
            ['Name', key.name],
            ['Account', key.accountId],
            ['Last used', when(key.lastUsedAt)],
          ],
        )}${
          people.length > 0 &&
          html`<p>It invited these people or created login links for them, and they stay until they are removed: ${people.map(({ name }) => name).join(', ')}.</p>`
        }`,
        button: 'Revoke the key',
        back: '/dashboard/keys',
      };
    },
    call: (_, { id = '' }) => ({ method: 'DELETE', url: `/keys/${encodeURIComponent(id)}` }),
    done: () => '/dashboard/keys',
  });
}
