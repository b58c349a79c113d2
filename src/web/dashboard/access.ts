// Who may call and who may log in: API keys and people.
import type { FastifyInstance } from 'fastify';
import { prefixOf } from '../../accounts/api-key.ts';
import { isOfOneAccount } from '../../accounts/caller.ts';
import { requireKey } from '../../accounts/create-key.ts';
import { listPeople } from '../../accounts/people/store-people.ts';
import { ROLES } from '../../accounts/roles.ts';
import { ACCOUNT_SCOPES, SCOPES } from '../../accounts/scopes.ts';
import { listKeys } from '../../accounts/store-keys.ts';
import { AppError } from '../../lib/errors.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, accountField, accountIn, defineAct, type Field } from './act.ts';
import { isRecord, textOf } from './api-call.ts';
import type { ListDeps } from './charges.ts';
import { filled, textField } from './form.ts';
import { badge, facts, table, when } from './parts.ts';
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
    { value: 'all_accounts', label: 'all accounts, where its scope does' },
  ],
};

export function accessPages(app: FastifyInstance, deps: Deps): void {
  app.get('/dashboard/keys', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const keys = await listKeys(deps.db, caller?.accountId);
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
        when(key.createdAt),
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
      words: html`<p>A program that has it acts for the account. It is shown once.</p>`,
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
        { name: 'expiresDay', label: 'Expires', type: 'date', hint: 'May be left out: good until it is revoked.' },
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
      shown: html`<section class="card"><p>It is shown this once. Put it where the program keeps its secrets.</p><p><code class="long">${textOf(key)}</code></p><p><a class="button" href="/dashboard/keys">I have kept it</a></p></section>`,
    }),
  });

  defineAct(app, deps, {
    url: '/keys/:id/revoke',
    section: 'keys',
    ask: async (request, { id = '' }) => {
      const key = await requireKey(deps.db, id, request.caller?.accountId);
      return {
        title: 'Revoke this key?',
        words: html`<p>Every program that uses it, or a key that it made, is refused within a second. It cannot be undone.</p>${facts(
          [
            ['Key', html`<code>${prefixOf(key.id)}</code>`],
            ['Name', key.name],
            ['Account', key.accountId],
            ['Last used', when(key.lastUsedAt)],
          ],
        )}`,
        button: 'Revoke the key',
        back: '/dashboard/keys',
      };
    },
    call: (_, { id = '' }) => ({ method: 'DELETE', url: `/keys/${encodeURIComponent(id)}` }),
    done: () => '/dashboard/keys',
  });

  peoplePages(app, deps);
}

function peoplePages(app: FastifyInstance, deps: Deps): void {
  const peopleOf = (accountId: string | undefined) => listPeople(deps.db, deps.clock.now(), accountId);

  app.get('/dashboard/people', { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const mayWrite = may(caller, 'people:write');
    const rows = (await peopleOf(caller?.accountId)).map(person => [
      person.name,
      person.role,
      person.accountId ?? 'all accounts',
      person.passkeys,
      person.recoveryCodes,
      person.lastUsedAt
        ? when(person.lastUsedAt)
        : person.linkExpiresAt
          ? html`invited until ${when(person.linkExpiresAt)}`
          : 'never',
      mayWrite &&
        html`<a class="button secondary small" href="/dashboard/people/${person.id}/role">Role</a> <a class="button secondary small" href="/dashboard/people/${person.id}/link">Login link</a> <a class="button secondary small" href="/dashboard/people/${person.id}/remove">Remove</a>`,
    ]);
    const page = shell(deps, request, {
      title: 'People',
      section: 'people',
      acts: mayWrite && html`<a class="button" href="/dashboard/people/invite">Invite a person</a>`,
      body: table({
        caption: 'People',
        head: ['Name', 'Role', 'Works for', '#Passkeys', '#Codes left', 'Last seen', ''],
        rows,
        empty:
          deps.mode === 'sandbox' ? 'A sandbox needs no login, and so has no people.' : 'No person was invited yet.',
      }),
    });
    return sendHtml(request, reply, page);
  });

  async function personOf(id: string, accountId: string | undefined) {
    const person = (await peopleOf(accountId)).find(one => one.id === id);
    if (!person) throw new AppError('not_found', 'There is no such person.');
    return facts([
      ['Name', person.name],
      ['Role', person.role],
      ['Works for', person.accountId ?? 'all accounts'],
    ]);
  }

  defineAct(app, deps, {
    url: '/people/invite',
    section: 'people',
    countsForms: true,
    ask: async ({ caller }) => ({
      title: 'Invite a person',
      words: html`<p>They get a link that logs them in once, within a day. Give it to no other person.</p>`,
      fields: [
        { name: 'name', label: 'Name', isRequired: true },
        { name: 'role', label: 'Role', type: 'select', options: ROLES.map(value => ({ value, label: value })) },
        ...(caller?.accountId === undefined
          ? [{ name: 'accountId', label: 'Works for', hint: 'An account; left empty: all of them.' } as const]
          : []),
      ],
      button: 'Make the invitation',
      back: '/dashboard/people',
    }),
    call: fields => ({ method: 'POST', url: '/people', body: filled(fields, ['name', 'role', 'accountId']) }),
    done: ({ link }) => linkPage(isRecord(link) ? textOf(link['url']) : ''),
  });

  defineAct(app, deps, {
    url: '/people/:id/link',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Make a login link?',
      words: html`<p>The first to open it is this person. It counts once, for 15 minutes. They are shown that you made it, and neither of you approves for the other from then on.</p>${await personOf(id, caller?.accountId)}`,
      button: 'Make the link',
      back: '/dashboard/people',
    }),
    call: (_, { id = '' }) => ({ method: 'POST', url: `/people/${encodeURIComponent(id)}/login-link`, body: {} }),
    done: ({ url }) => linkPage(textOf(url)),
  });

  defineAct(app, deps, {
    url: '/people/:id/role',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Another role for this person?',
      words: html`<p>It counts at once, also where they are logged in. They are shown that it changed.</p>${await personOf(id, caller?.accountId)}`,
      fields: [{ name: 'role', label: 'Role', type: 'select', options: ROLES.map(value => ({ value, label: value })) }],
      button: 'Change the role',
      back: '/dashboard/people',
    }),
    call: (fields, { id = '' }) => ({
      method: 'PATCH',
      url: `/people/${encodeURIComponent(id)}`,
      body: filled(fields, ['role']),
    }),
    done: () => '/dashboard/people',
  });

  defineAct(app, deps, {
    url: '/people/:id/remove',
    section: 'people',
    ask: async ({ caller }, { id = '' }) => ({
      title: 'Remove this person?',
      words: html`<p>Every session ends at once; passkeys, links and codes are gone. What they did stays in the audit log.</p>${await personOf(id, caller?.accountId)}`,
      button: 'Remove the person',
      back: '/dashboard/people',
    }),
    call: (_, { id = '' }) => ({ method: 'DELETE', url: `/people/${encodeURIComponent(id)}` }),
    done: () => '/dashboard/people',
  });
}

function linkPage(url: string) {
  return {
    title: 'The link',
    shown: html`<section class="card"><p>It is shown this once. The first to open it is that person.</p><p><code class="long">${url}</code></p><p><a class="button" href="/dashboard/people">I have passed it on</a></p></section>`,
  };
}
